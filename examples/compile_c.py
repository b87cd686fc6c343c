# SPDX-License-Identifier: Apache-2.0
"""Compile a C program with the driver and the simulated exponentiator of 64 bits.

usage: ./modfab python examples/compile_c.py SOURCE.c PROGRAM
"""

import subprocess
import sys

from modfab.build.core import modexp_core
from modfab.paths import sw_dir
from modfab.sim.core import bus_design
from modfab.sim.verilate import build

source, program = sys.argv[1:]
library = build(bus_design(modexp_core("bit_serial", 64)))
driver = sw_dir() / "c"
files = [source, str(driver / "modfab.c"), str(driver / "modfab_bus.c"), str(library)]
subprocess.run(["cc", "-std=c99", "-O1", f"-I{driver}", *files, "-o", program], check=True)
