# SPDX-License-Identifier: Apache-2.0
"""Measure a design on a target: synthesis, then place and route for each seed, all stored."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

from modfab.errors import ToolError, UsageError
from modfab.flow.area import Area
from modfab.flow.compact import lock_compact
from modfab.flow.design import Design, digest_of
from modfab.flow.elaborate import elaborate
from modfab.flow.floorplan import folder_of, run_of
from modfab.flow.lock import lock
from modfab.flow.parts import measure_parts
from modfab.flow.record import (
    DEFAULT_PIECE_BITS,
    DEFAULT_ROUTER,
    DEFAULT_TIMING_WEIGHT,
    DEFAULT_WIRE_PS,
    Record,
    Request,
    check_router,
)
from modfab.flow.route import DEFAULT_FREQ_MHZ, Lock, route
from modfab.flow.store import Store
from modfab.flow.stored import Measurement
from modfab.flow.synth import NETLIST, Mapping, Synthesis, check_capacity, check_mapping, synthesize
from modfab.flow.targets import Target, get_target
from modfab.flow.tools import Progress, find_tool, silent
from modfab.flow.wheels import locked
from modfab.flow.wrapper import TOP, wrapper_text
from modfab.paths import checkout_dir


@dataclass(frozen=True, slots=True)
class Options:
    """How to measure.

    Attributes:
        seeds: Seeds of place and route; empty for synthesis only.
        freq_mhz: Frequency the router is asked for.
        router: nextpnr's router, one of `record.ROUTERS`.
        timing_weight: The placer's weight of timing against wire length.
        no_enables: Map without clock enables (ecp5 only); None: as the engine's catalogue says.
        min_set: Map clock enables and resets of fewer flip-flops to LUTs (ecp5 only).
        lut_multipliers: Map multipliers outside of the engine's array to LUTs (ecp5 only).
        piece_bits: Bits of a piece of an adder that is longer than the target's carry chains (ecp5
            only).
        wire_ps: Delay of a wire, in picoseconds, that the mapping to LUTs reckons with (ecp5 only).
        lock: Lock multipliers side by side (with seeds); None: as the engine's catalogue says.
        force: Measure again even when the store has the answer.
        limit_s: Seconds after which one run of a tool is stopped.
        parts: Measure the engine's parts too.
    """

    seeds: tuple[int, ...] = ()
    freq_mhz: float = DEFAULT_FREQ_MHZ
    router: str = DEFAULT_ROUTER
    timing_weight: int = DEFAULT_TIMING_WEIGHT
    no_enables: bool | None = None
    min_set: int = 0
    lut_multipliers: bool = False
    piece_bits: int = DEFAULT_PIECE_BITS
    wire_ps: int = DEFAULT_WIRE_PS
    lock: bool | None = None
    force: bool = False
    limit_s: float = 3600.0
    parts: bool = False


def revision() -> str:
    """Git revision of the checkout, with `+` when files differ from it; empty outside of one.

    What `results export` and the pages write does not count: between two measurements it changes.
    """
    root = checkout_dir()
    if root is None:
        return ""
    git = partial(subprocess.run, cwd=root, capture_output=True, text=True, check=False)
    files = ("--", ".", ":!results", ":!docs", ":!*.md")
    try:
        name = git(["git", "describe", "--always", "--abbrev=12", "--exclude=*"]).stdout.strip()
        changed = git(["git", "diff", "--quiet", "HEAD", *files]).returncode
        new = git(["git", "ls-files", "--others", "--exclude-standard", *files]).stdout
    except OSError:
        return ""
    return f"{name}+" if name and (changed or new) else name


def _no_enables(design: Design, target: Target, options: Options) -> bool:
    if options.no_enables is not None:
        return options.no_enables
    return design.core.unit.engine.no_enables and target.routable


def _hard(design: Design, options: Options) -> str:
    """Pattern of the multipliers that stay cells when the others become LUTs; empty for all."""
    if not options.lut_multipliers:
        return ""
    engine = design.core.unit.engine
    if not engine.chain or not engine.chain.cells:
        raise UsageError(
            f"Engine {engine.name} has no multipliers beside those of an array, and "
            "--lut-multipliers builds just these from LUTs; leave it out."
        )
    return engine.chain.cells


def _lock_of(design: Design) -> Lock | None:
    """How cells of a design get sites: along its engine's array, or all of an RSA core's near."""
    chain = design.core.unit.engine.chain
    if chain is None:
        return lock_compact if design.level.startswith("rsa") else None
    return partial(lock, chain=chain) if chain.lockable(design.core.unit.params) else None


def _locked(design: Design, options: Options) -> bool:
    engine, params = design.core.unit.engine, design.core.unit.params
    can = _lock_of(design) is not None
    if options.lock and not can:
        which = f" with {engine.non_defaults(params)}" if engine.chain else ""
        raise UsageError(
            f"Engine {engine.name}{which} has no chain of multipliers that could be locked; leave "
            "--lock out."
        )
    return can if options.lock is None else options.lock


def _whole(record: Record) -> Area:
    """Area with the wrapper, of what a device has to hold."""
    own, wrapper = Area(**record.area), Area(**record.wrapper)
    names = ("lut", "multipliers", "block_rams")
    return replace(own, **{name: getattr(own, name) + getattr(wrapper, name) for name in names})


def request_of(design: Design, target: Target, options: Options) -> Request:
    """What a synthesis of a design is stored as.

    Raises:
        UsageError: An option that the engine does not have.
    """
    unit = design.core.unit
    _hard(design, options)
    return Request(
        engine=unit.engine.name,
        sequencer=unit.sequencer_name,
        level=design.level,
        params=dict(sorted(unit.params.items())),
        exp_bits=unit.exp_bits,
        target=target.name,
        no_enables=_no_enables(design, target, options),
        min_set=options.min_set,
        lut_multipliers=options.lut_multipliers,
        piece_bits=options.piece_bits,
        wire_ps=options.wire_ps,
        rsa=design.core.choices(),
    )


def routed_request(design: Design, synthesis: Request, options: Options, seed: int) -> Request:
    """What a routing with one seed is stored as, given the request of its synthesis."""
    return replace(
        synthesis,
        seed=seed,
        freq_mhz=options.freq_mhz,
        router=options.router,
        timing_weight=options.timing_weight,
        locked=_locked(design, options),
    )


class _Runner:
    """One measurement in progress."""

    def __init__(
        self, design: Design, target: Target, options: Options, store: Store, progress: Progress
    ) -> None:
        self.design, self.target, self.options, self.store = design, target, options, store
        self.request = request_of(design, target, options)
        check_mapping(target, self.mapping, options.no_enables)
        self.locked = _locked(design, options)
        self.cycles = design.core.cycles()
        self.revision = revision()  # of what is read here, whatever changes while the tools run
        self.rtl = design.rtl(target.vendor)
        self.elaboration = elaborate(design.top, self.rtl, options.limit_s, progress)
        yosys = find_tool("yosys").version
        self.folder = folder_of(self.request, self.elaboration.circuit, yosys)

    @property
    def mapping(self) -> Mapping:
        """How the design is mapped."""
        return Mapping(
            self.request.no_enables,
            self.request.min_set,
            _hard(self.design, self.options),
            self.request.piece_bits,
            self.request.wire_ps,
        )

    def record(self, request: Request, tools: dict[str, str], result: Synthesis) -> Record:
        """A record without what only routing knows."""
        return Record(
            request=request,
            circuit=self.elaboration.circuit,
            text=digest_of(self.rtl),
            tools=tools,
            revision=self.revision,
            date=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            cycles=self.cycles,
            area=result.area.to_json(),
            wrapper=result.wrapper.to_json(),
            mhz=None,
            used={},
            path={} if result.logic_ns is None else {"logic_ns": result.logic_ns},
            seconds=round(result.seconds, 1),
        )

    def stored(self, request: Request, tools: dict[str, str], progress: Progress) -> Record | None:
        """What the store already knows."""
        if self.options.force:
            return None
        record = self.store.find(request.key, self.elaboration.circuit, tools)
        if record:
            what = "synthesis" if request.seed is None else f"seed {request.seed}"
            progress(f"{what}: from the store, measured {record.date} (--force measures again)")
            return replace(record, text=digest_of(self.rtl))  # it may have other comments
        return None

    def synthesis(self, need_netlist: bool, progress: Progress) -> Record:
        """The synthesis' record, from the store or a new run."""
        with locked(self.folder / "synthesis.lock"):  # another process may be at the same netlist
            return self._synthesis(need_netlist, progress)

    def _synthesis(self, need_netlist: bool, progress: Progress) -> Record:
        tools = {"yosys": find_tool("yosys").version}
        known = self.stored(self.request, tools, progress)
        if known and (not need_netlist or (self.folder / NETLIST).is_file()):
            check_capacity(_whole(known), self.target)
            return known
        self.store.check_writable()
        result = synthesize(
            self.design,
            self.target,
            self.folder,
            how=self.mapping,
            limit_s=self.options.limit_s,
            progress=progress,
        )
        record = self.record(self.request, tools, result)
        if known:  # its netlist left the cache; its parts stay measured
            record = replace(record, parts=known.parts)
        self.store.add(record)
        check_capacity(result.total, self.target)
        return record

    def with_parts(self, synthesis: Record, progress: Progress) -> Record:
        """The record with its parts, measured when it has none."""
        if synthesis.parts and not self.options.force:
            return synthesis
        self.store.check_writable()
        with locked(self.folder / "synthesis.lock"):  # it writes the same sources
            parts = measure_parts(
                self.design,
                self.target,
                self.folder,
                how=self.mapping,
                limit_s=self.options.limit_s,
                progress=progress,
            )
        record = replace(synthesis, parts=parts)
        self.store.add(record)
        return record

    def routing(self, seed: int, progress: Progress) -> Record | None:
        """The stored record of one seed."""
        return self.stored(self.routed(seed), self.route_tools(), progress)

    def routed(self, seed: int) -> Request:
        """The request of one seed."""
        return routed_request(self.design, self.request, self.options, seed)

    def route_tools(self) -> dict[str, str]:
        """Tools whose versions decide a routed result."""
        return {name: find_tool(name).version for name in ("yosys", "nextpnr-ecp5")}

    def new_routing(self, synthesis: Record, seed: int, progress: Progress) -> Record:
        """Place and route with one seed, and store the outcome."""
        with locked(self.folder / f"route_{run_of(self.routed(seed))}.lock"):
            return self.routing(seed, progress) or self._new_routing(synthesis, seed, progress)

    def _new_routing(self, synthesis: Record, seed: int, progress: Progress) -> Record:
        options, request = self.options, self.routed(seed)
        self.store.check_writable()
        result = route(
            self.target,
            self.folder,
            seed=seed,
            run=run_of(request),
            freq_mhz=options.freq_mhz,
            router=options.router,
            timing_weight=options.timing_weight,
            lock=_lock_of(self.design) if self.locked else None,
            limit_s=options.limit_s,
            progress=progress,
        )
        modules = {Path(name).stem: text for name, text in self.rtl.items()}
        modules[TOP] = wrapper_text(self.design.top, self.elaboration.ports)
        data = result.to_json()
        record = replace(
            synthesis,
            request=request,
            text=digest_of(self.rtl),
            tools=self.route_tools(),
            revision=self.revision,
            date=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            mhz=result.mhz,
            used=result.used,
            path=data["path"] | {"text": result.path.describe(modules, TOP)},
            seconds=round(result.seconds, 1),
            parts={},
        )
        self.store.add(record)
        return record

    def routings(
        self, synthesis: Record, known: dict[int, Record | None], progress: Progress
    ) -> tuple[Record, ...]:
        """One record for each seed; a seed that fails is reported when the others are stored.

        Args:
            synthesis: What is routed.
            known: Seed -> its stored record, or None where it is to be routed.
            progress: Told what is done.

        Raises:
            ToolError: A seed was not routed; the others are stored.
        """
        made: list[Record] = []
        failed: dict[int, ToolError] = {}
        for seed, found in known.items():
            try:
                made.append(found or self.new_routing(synthesis, seed, progress))
            except ToolError as error:
                progress(f"seed {seed}: failed")
                failed[seed] = error
        if failed:
            seeds = ", ".join(map(str, failed))
            kept = "; the other seeds are stored" if len(failed) < len(known) else ""
            first = next(iter(failed.values()))
            raise ToolError(f"No routing with seed {seeds}{kept}. {first}", first.log) from first
        return tuple(made)


def measure(
    design: Design,
    target_name: str,
    options: Options | None = None,
    store: Store | None = None,
    progress: Progress = silent,
) -> Measurement:
    """Measure a design; every run is stored as soon as it ends, and none begins that cannot be.

    Args:
        design: What to measure.
        target_name: On what.
        options: How; synthesis only when None.
        store: Where results are kept; the user's when None.
        progress: Told of the stages.

    Returns:
        The synthesis and one routing for each seed.

    Raises:
        UsageError: An unknown target, or routing asked of one that this flow has no router for.
        ToolError: A tool is missing or failed, or the design has a warning or does not fit.
    """
    target, chosen = get_target(target_name), options or Options()
    if chosen.seeds and not target.routable:
        raise UsageError(
            f"{target.title}: there is no open router for {target.name} among this flow's "
            "packages, so --route cannot be answered; leave --route out, or choose one of the "
            "ecp5 targets."
        )
    if chosen.parts and chosen.lut_multipliers:
        raise UsageError(
            "--lut-multipliers picks multipliers by their names in the whole design, and --parts "
            "keeps its modules apart; leave one of them out."
        )
    check_router(chosen.router)
    runner = _Runner(design, target, chosen, store or Store(), progress)
    known = {seed: runner.routing(seed, progress) for seed in chosen.seeds}
    synthesis = runner.synthesis(any(found is None for found in known.values()), progress)
    if chosen.parts:
        synthesis = runner.with_parts(synthesis, progress)
    return Measurement(synthesis, runner.routings(synthesis, known, progress))
