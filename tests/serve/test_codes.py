# SPDX-License-Identifier: Apache-2.0
"""The C client knows the operations and status codes of the daemon."""

from __future__ import annotations

import re

from modfab.paths import checkout_dir
from modfab.serve.protocol import Operation, Status


def test_codes_of_the_c_client_are_those_of_the_protocol() -> None:
    root = checkout_dir()
    assert root is not None
    text = (root / "sw" / "openssl" / "modfab_client.h").read_text()
    found = {name: int(value) for name, value in re.findall(r"\bMF_(\w+) = (\d+)", text)}
    operations = {name[3:]: value for name, value in found.items() if name.startswith("OP_")}
    assert operations == {one.name: one.value for one in Operation if one is not Operation.HEALTH}
    statuses = {code.name: found[code.name] for code in Status}
    assert statuses == {code.name: code.value for code in Status}
