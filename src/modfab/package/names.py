# SPDX-License-Identifier: Apache-2.0
"""Names that a package may have: it becomes a module and many files."""

from __future__ import annotations

import re
from functools import cache

from modfab.errors import UsageError
from modfab.paths import rtl_dir

KEYWORDS = frozenset(
    """
    accept_on alias always always_comb always_ff always_latch and assert assign assume automatic
    before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle
    checker class clocking cmos config const constraint context continue cover covergroup coverpoint
    cross deassign default defparam design disable dist do edge else end endcase endchecker endclass
    endclocking endconfig endfunction endgenerate endgroup endinterface endmodule endpackage
    endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event
    eventually expect export extends extern final first_match for force foreach forever fork
    forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins
    implements implies import incdir include initial inout input inside instance int integer
    interconnect interface intersect join join_any join_none large let liblist library local
    localparam logic longint macromodule matches medium modport module nand negedge nettype new
    nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos
    posedge primitive priority program property protected pull0 pull1 pulldown pullup
    pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime
    ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always
    s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled
    signed small soft solve specify specparam static string strong strong0 strong1 struct super
    supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time
    timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type typedef union
    unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait
    wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor
    """.split()
)
"""Keywords of IEEE 1800-2017, Annex B, with those of IEEE 1364-2005."""
MAX_LETTERS = 100
"""Of a name: file systems take 255 (some 143) for a file's, which has an ending or a digest too."""


@cache
def rtl_modules() -> frozenset[str]:
    """Modules and packages of the RTL, those that stand for vendors' cells among them."""
    return frozenset(path.stem for path in rtl_dir().rglob("*.sv"))


def check_name(name: str) -> None:
    """Whether a package can have that name.

    Raises:
        UsageError: It is no identifier or a very long one, one that SystemVerilog keeps for itself,
            or one of the RTL.
    """
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise UsageError(
            f"The name of a core is a letter, then letters, digits and _, but {name!r} was "
            "given; choose another --name."
        )
    if len(name) > MAX_LETTERS:
        raise UsageError(
            f"The name of a core has at most {MAX_LETTERS} letters, because its files have it in "
            f"theirs, but one of {len(name)} was given; choose another --name."
        )
    if name in KEYWORDS:
        raise UsageError(
            f"Expected a name for the core's top module, but {name!r} is a keyword of "
            f"SystemVerilog; choose another --name, for example my_{name}."
        )
    if name in rtl_modules():
        raise UsageError(
            f"Expected a name for the core's top module, but {name!r} is a module of modfab's "
            f"own RTL; choose another --name, for example my_{name}."
        )
