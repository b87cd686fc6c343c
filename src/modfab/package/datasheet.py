# SPDX-License-Identifier: Apache-2.0
"""The datasheet of a package: interface, registers, cycles, and what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from html import escape

from modfab.build.core import Core, ModexpCore
from modfab.build.farm import CHANGE_CYCLES, LONE_CYCLES, MAX_CORES, MAX_ID_BITS, FarmCore
from modfab.build.rsa import EXPONENT_WORDS, RsaCore
from modfab.flow.stored import Measurement, current
from modfab.flow.targets import TARGETS
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from modfab.numbers import WORD_BITS
from modfab.package.constraints import clock_mhz, clock_source, routed_core, was_routed
from modfab.package.ip import IpPackage
from modfab.package.kind import Kind
from modfab.paths import rtl_dir
from modfab.report.compare import ROUTED, command
from modfab.report.published import Ours

_OPERATIONS = {
    RsaEntry.PRIVATE: "private operation, checked",
    RsaEntry.PUBLIC: "public operation with 65537, checked",
    RsaEntry.KEY: "set-up of a key",
    RsaEntry.DERIVE: "dP, dQ and qInv from p, q and d",
    RsaEntry.CHANGE: "change to another key",
}

_MADE = "two primes, dP, dQ and qInv for 65537, made in the core"

_LONE = f"private + {LONE_CYCLES.text}, W words of 32 bits of n"
_FULL = f"(private + {CHANGE_CYCLES.text}) / cores, on average"
_FULL_MIXED = f"1 / (sum of 1 / (private + {CHANGE_CYCLES.text}) of each core), on average"

Table = tuple[tuple[str, ...], list[tuple[str, ...]]]


def _parameters(package: IpPackage) -> Table:
    unit = package.core.unit
    rows: list[tuple[str, ...]] = [
        (p.name, str(unit.params[p.name]), p.legal_text, p.unit, p.help)
        for p in unit.engine.parameters
    ]
    cores = (package.core.choices() or {}).get("cores")
    if cores:
        rows.append(("cores", str(cores), f"1..{MAX_CORES}", "", "RSA cores"))
    return ("parameter", "here", "legal", "unit", "meaning"), rows


def _interface(kind: Kind) -> Table:
    rows: list[tuple[str, ...]] = [
        (name, "in" if is_input else "out", str(bits), kind.meaning(name))
        for name, bits, is_input in kind.port_lines()
    ]
    return ("port", "direction", "bits", "meaning"), rows


Work = tuple[str, int, str]
"""What is done, its cycles, their formula."""


def _cycles(package: IpPackage) -> Table:
    cycles, params = package.core.unit.engine.cycles, package.core.unit.params
    mhz = clock_mhz(package) if routed_core(package) else None
    when = f"us at {mhz:g} MHz ({clock_source(package)})" if mhz else "us (not routed)"
    works: list[Work] = [
        ("product", cycles.mul(params), cycles.text),
        *([("square", cycles.square(params), "")] if cycles.square else []),
        ("set-up, once for each modulus", cycles.setup(params), ""),
        *_works(package.core),
    ]
    rows: list[tuple[str, ...]] = [
        (what, f"{count:,}", f"{count / mhz:,.2f}" if mhz else "-", note)
        for what, count, note in works
    ]
    return ("work", "cycles", when, "formula"), rows


@singledispatch
def _works(core: Core) -> list[Work]:
    """What a core does, beside products and set-ups."""
    return []


@_works.register
def _(core: ModexpCore) -> list[Work]:
    sequencer, bits = core.sequencer, core.exp_bits
    note = f"sequencer {sequencer.name}"
    full = core.cycles()["exp"]
    short = sequencer.exp_cycles(core.engine, core.params, USUAL_E, USUAL_E.bit_length())
    works = [(f"exponentiation, {bits} exponent bits, all ones", full, note)]
    if bits >= USUAL_E.bit_length():
        works.append((f"exponentiation, exponent {USUAL_E}", short, note))
    return works


@_works.register
def _(core: RsaCore) -> list[Work]:
    programs = core.programs()
    if core.shape.public_only:
        entries = (RsaEntry.PUBLIC, RsaEntry.KEY)
        return [(_OPERATIONS[entry], programs.program(entry, USUAL_E), "") for entry in entries]
    note = f"sequencer {core.unit.sequencer.name}"
    operations = _OPERATIONS | ({RsaEntry.DERIVE: _MADE} if core.shape.keygen else {})
    works = {e: text for e, text in operations.items() if e.program in core.image.entries}
    return [(text, programs.program(entry, USUAL_E), note) for entry, text in works.items()]


@_works.register
def _(core: FarmCore) -> list[Work]:
    last = {entry: max(core.own_cycles(entry)) for entry in (RsaEntry.KEY, RsaEntry.DERIVE)}
    ends = {_OPERATIONS[entry]: cycles for entry, cycles in last.items()}  # when all cores have it
    works = [(text, ends.get(text, cycles), note) for text, cycles, note in _works(core.rsa)]
    return [*works, *_jobs(core, core.own_cycles(RsaEntry.PRIVATE))]


def _jobs(farm: FarmCore, private: Sequence[int]) -> list[tuple[str, int, str]]:
    """What jobs take, by the cycles of a private operation in each core: work, cycles, formula."""
    full = f"private job of a full queue, {farm.cores} cores"
    small = f"private operation of the last {farm.small_cores} cores, checked"
    return [
        *([(small, private[-1], "their program")] if farm.small else []),
        ("private job alone, first word to first word", farm.lone_cycles(private[0]), _LONE),
        (full, farm.full_cycles(private), _FULL_MIXED if farm.small else _FULL),
    ]


@singledispatch
def _packets(core: Core) -> list[tuple[str, Table]]:
    """Sections about the packets of a core's job queue."""
    return []


@_packets.register
def _(farm: FarmCore) -> list[tuple[str, Table]]:
    words, id_bits = farm.num_words, farm.id_bits
    head = "bits 15:0 the id, bit 16 set for the public exponent, other bits 0"
    if id_bits < MAX_ID_BITS:
        head += f"; the id is below {1 << id_bits}"
    tail = "bits 15:0 the id, 19:16 how the job ended (farm_status), 28:24 which core ran it"
    rows: list[tuple[str, ...]] = [
        ("job, s_axis_job", "0", head),
        ("", f"1..{words}", "message, below n"),
        ("answer, m_axis_ans", f"0..{words - 1}", "result; zeros unless the job ended well"),
        ("", str(words), tail),
    ]
    return [("Packets", (("packet", "word", "meaning"), rows))]


def _measured_row(found: Measurement) -> tuple[str, ...]:
    record, request = found.synthesis, found.synthesis.request
    area, target = record.area, TARGETS[request.target]
    mhz = "synthesis only" if found.mhz is None else f"{found.mhz:.1f}"
    seeds = ", ".join(str(routed.request.seed) for routed in found.routings) or "-"
    last = found.routings[-1] if found.routings else record
    tools = ", ".join(f"{name} {version}" for name, version in sorted(last.tools.items()))
    return (
        *(request.level, target.title, str(area["lut"]), str(area["ff"])),
        *(str(area["multipliers"]), str(area["block_rams"]), mhz, seeds),
        *(tools, last.date[:10], record.revision or "-"),
    )


def _measured(package: IpPackage) -> Table:
    head = ("level", "device", "LUT", "FF", "multipliers", "block RAMs", "MHz", "seeds")
    rows = [_measured_row(found) for found in current(package.records)]
    return (*head, "tools", "date", "revision"), rows


def _sections(package: IpPackage) -> list[tuple[str, Table]]:
    return [
        ("Parameters", _parameters(package)),
        ("Interface", _interface(package.kind)),
        *_packets(package.core),
        ("Cycles", _cycles(package)),
        ("Measured", _measured(package)),
    ]


@singledispatch
def _intro(core: Core) -> str:
    """What a core does, in a paragraph."""
    raise TypeError(f"a core of the kind {core.kind} has no datasheet")


@_intro.register
def _(core: ModexpCore) -> str:
    constant = "depends on nothing but the number of exponent bits"
    if not core.sequencer.constant:
        constant = "depends on the exponent: for public exponents only"
    return (
        f"Computes base^exponent mod modulus for odd moduli of up to {core.num_bits} bits and "
        f"exponents of up to {core.exp_bits} bits, on the engine {core.engine.name} "
        f"({core.engine.title}). The number of cycles {constant}."
    )


@_intro.register
def _(core: RsaCore) -> str:
    engine = core.unit.engine
    if core.shape.public_only:
        return (
            "RSA core for public operations (verification of signatures, encryption) with moduli "
            f"n of up to {core.num_bits} bits, on {engine.name} ({engine.title}). It takes n and "
            "e from the host and has neither a private key nor a port for random words. Each "
            "result is computed twice and compared before it can be read."
        )
    return (
        f"RSA core for moduli n = p q of up to {core.num_bits} bits: holds a private key, "
        "decrypts, signs and does public operations with it, with the Chinese remainder "
        f"theorem on {core.shape.engines} x {engine.name} ({engine.title}). Results "
        "are checked before they can be read; the number of cycles depends on this build and on e "
        f"only. {_build(core)}{_keys(core)}"
    )


def _keys(core: RsaCore) -> str:
    keys = core.shape.keys
    kept = f" It keeps {keys} keys, each in a context of its own." if keys > 1 else ""
    return kept + " It makes a key itself when it is told to." * core.shape.keygen


def _build(core: RsaCore) -> str:
    """Which of the named builds it is, in a sentence."""
    shape, build = core.shape, "hardened" if core.shape.hardened else "basic"
    masked = " with address_blinding: slot numbers are masked" * shape.address_blinding
    bits = WORD_BITS * shape.exponent_words
    others = [] if shape.message_blinding else ["the message is not blinded"]
    if shape.exponent_words != EXPONENT_WORDS[build]:
        others.append(f"{bits} bits blind the exponent" if bits else "the exponent is not blinded")
    rest = f", but {' and '.join(others)}" if others else ""
    return f"The build is {build}{masked}{rest}."


@_intro.register
def _(core: FarmCore) -> str:
    return (
        f"{core.cores} RSA cores behind one queue: jobs go in on an AXI-Stream, and "
        "answers come out on another as they are ready, with the id of their job. A core that "
        f"fails leaves the others alone. {_members(core)} an {_intro(core.rsa)}"
    )


def _members(core: FarmCore) -> str:
    if core.small is None:
        return "Each is"
    elements = core.choices()["small_elements"]
    return (
        f"Small cores, the last of them: {core.small_cores}, with two arrays of {elements} "
        f"elements each and {_programs(core.small, core.rsa)}. Each of the others is"
    )


def _programs(small: RsaCore, large: RsaCore) -> str:
    if small.image == large.image:
        return "the same programs"
    return f"programs of their own, with the sequencer {small.unit.sequencer_name}"


def _unmeasured(package: IpPackage) -> str:
    area = "Area is without the measurement wrapper; MHz is the median over the seeds."
    if routed_core(package):
        return area
    if was_routed(package):
        return f"{area} It is of the primitives of its device: --target builds such a package."
    target, core = package.target, package.core
    no_router = target is not None and not target.routable
    if package.records and no_router:
        return f"{area} There is no open router for this target, so the core has no times on it."
    work = "exp" if core.kind == ModexpCore.kind else "rsa"
    ours = Ours(core, work, package.kind.levels[0])
    words = command(ours, target.name if target else ROUTED)
    if package.records:
        return f"{area} This core itself was not routed, so it has no times; `{words}` measures it."
    what = "measures the area; there is no open router for this target" if no_router else "does it"
    return f"Nothing was measured for these parameters; `{words}` {what}."


def _markdown_table(table: Table) -> str:
    head, rows = table
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def register_page(kind: Kind) -> str:
    """The register map's page, without its own title."""
    text = (rtl_dir() / "bus" / "generated" / f"{kind.map_name}.md").read_text()
    lines = [line for line in text.splitlines() if not line.startswith(("# ", "<!--"))]
    return "\n".join("#" + line if line.startswith("## ") else line for line in lines).strip()


def datasheet_markdown(package: IpPackage) -> str:
    """The datasheet as Markdown."""
    parts = [f"# {package.name}", _intro(package.core), "![Blocks](blocks.svg)"]
    for title, table in _sections(package):
        parts.append(f"## {title}")
        if table[1]:
            parts.append(_markdown_table(table))
    parts.append(_unmeasured(package))
    if package.floorplan:
        parts.append("![Floorplan](floorplan.svg)")
    parts += ["## Registers", register_page(package.kind)]
    return "\n\n".join(parts) + "\n"


def _html_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in rows
    )
    return f"<table>\n<tr>{top}</tr>\n{body}</table>"


def _html_of_markdown(text: str) -> str:
    """HTML of the plain Markdown that the register page uses: titles, tables, paragraphs."""
    parts, rows = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
            continue
        if rows:
            parts.append(_html_table(rows[0], rows[2:]))
            rows = []
        if line.startswith("### "):
            parts.append(f"<h3>{escape(line[4:])}</h3>")
        elif line:
            parts.append(f"<p>{escape(line)}</p>")
    return "\n".join(parts).replace("**", "")


_STYLE = (
    "body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.2em .5em;text-align:left}"
)


def datasheet_html(package: IpPackage) -> str:
    """The datasheet as one HTML page; its pictures lie beside it."""
    parts = [f"<h1>{escape(package.name)}</h1>", f"<p>{escape(_intro(package.core))}</p>"]
    parts.append('<img src="blocks.svg" alt="Blocks" width="850">')
    for title, (head, rows) in _sections(package):
        parts.append(f"<h2>{title}</h2>")
        if rows:
            parts.append(_html_table(head, rows))
    parts.append(f"<p>{escape(_unmeasured(package))}</p>")
    if package.floorplan:
        parts.append('<img src="floorplan.svg" alt="Floorplan" width="700">')
    parts += ["<h2>Registers</h2>", _html_of_markdown(register_page(package.kind))]
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f"<title>{escape(package.name)}</title>\n<style>{_STYLE}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )
