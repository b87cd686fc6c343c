# SPDX-License-Identifier: Apache-2.0
"""Parameter sets of the quotient-pipelined systolic array, full, folded and dual-port."""

from tests.contract.cases import Case, sweep

SMALL = range(64, 200)
LARGE = range(128, 700)
FACTORS: dict[str, int | range] = {
    "FactorSlots": 8,
    "NumSlots": range(9, 24),
    "DigitBits": range(8, 19),
}

TABLES = {"QuotientTables": 1}
IN_TURN = {"TwoInTurn": 1, "Contexts": 1}

FULL_ARRAY = [
    Case(id="usual", num_bits=64),
    # The words hold 16 digits, all places there are: one more would be written to place 0.
    Case(id="short-digit", num_bits=range(97, 104), params={"DigitBits": 8}),
    Case(id="odd-digit", num_bits=SMALL, params={"DigitBits": 11}),
    Case(id="one-context", num_bits=SMALL, params={"DigitBits": 17, "Contexts": 1}),
    Case(id="delay2", num_bits=SMALL, params={"QuotientDelay": 2, "MulStages": 5}),
    Case(
        id="delay2-odd-digit",
        num_bits=SMALL,
        params={"QuotientDelay": 2, "MulStages": 4, "DigitBits": 13},
    ),
    # Any lower bound of the modulus, also below the lowest digit's end and at a digit's edge.
    Case(
        id="bound", num_bits=SMALL, params={"MinModBits": range(1, 64), "DigitBits": range(8, 19)}
    ),
    Case(
        id="bound-delay2",
        num_bits=128,
        params={"MinModBits": range(64, 128), "QuotientDelay": 2, "MulStages": 5},
    ),
    Case(id="bound-highest", num_bits=97, params={"MinModBits": 96}),
    Case(
        id="resume",
        num_bits=SMALL,
        params={"Resume": 1, "MinModBits": range(1, 64), "DigitBits": range(8, 19)},
    ),
    Case(
        id="resume-delay2",
        num_bits=SMALL,
        params={"Resume": 1, "QuotientDelay": 2, "MulStages": 5, "Contexts": 1},
    ),
    sweep(num_bits=range(200, 400), params={"Resume": 1, "DigitBits": range(8, 19)}),
    Case(id="sum", num_bits=SMALL, params={"LoadSum": 1, "DigitBits": range(8, 19)}),
    Case(
        id="sum-delay2",
        num_bits=SMALL,
        params={"LoadSum": 1, "QuotientDelay": 2, "MulStages": range(3, 6), "Resume": 1},
    ),
    sweep(num_bits=1024, params={"LoadSum": 1, "MinModBits": 992}),
    Case(
        id="factors",
        num_bits=SMALL,
        params=FACTORS,
    ),
    sweep(
        num_bits=range(64, 400),
        params={
            "FactorSlots": 16,
            "NumSlots": range(17, 65),
            "LoadSum": 1,
            "QuotientDelay": 2,
            "MulStages": range(3, 6),
            "DigitBits": range(8, 19),
        },
    ),
    Case(id="in-turn", num_bits=SMALL, params=IN_TURN | {"DigitBits": range(8, 19)}),
    Case(
        id="in-turn-delay2",
        num_bits=SMALL,
        params=IN_TURN | FACTORS | {"QuotientDelay": 2, "MulStages": range(3, 6), "LoadSum": 1},
    ),
    sweep(num_bits=range(64, 400), params=IN_TURN | TABLES | {"DigitBits": range(8, 19)}),
    sweep(num_bits=1024, params={"QuotientDelay": 2, "MulStages": 5}),
    sweep(num_bits=1024, params={"MinModBits": 1023}),
    *(
        sweep(
            num_bits=range(200, 400),
            params={"MinModBits": range(low, low + 50), "DigitBits": range(8, 19)},
        )
        for low in (1, 50, 100, 150)
    ),
    *(
        sweep(
            num_bits=range(64, 400),
            params={
                "QuotientDelay": 2,
                "MulStages": stages,
                "DigitBits": digit_bits,
                "Contexts": contexts,
            },
        )
        for stages in (3, 4, 5)
        for digit_bits, contexts in ((8, 2), (11, 1), (16, 1), (17, 2), (18, 2))
    ),
]

TABLE_ARRAY = [
    Case(id="tables", num_bits=SMALL, params=TABLES),
    # Digits of 8 and 9 bits are read at once, longer ones in two parts.
    Case(id="tables-any-digit", num_bits=SMALL, params=TABLES | {"DigitBits": range(8, 19)}),
    Case(
        id="tables-delay2",
        num_bits=SMALL,
        params=TABLES
        | {"QuotientDelay": 2, "MulStages": range(3, 6), "DigitBits": range(8, 19), "Contexts": 1},
    ),
    *(
        sweep(num_bits=range(64, 400), params=TABLES | {"DigitBits": digit_bits})
        for digit_bits in range(8, 19)
    ),
    sweep(num_bits=range(200, 400), params=TABLES | {"MinModBits": range(1, 200)}),
    Case(
        id="tables-resume",
        num_bits=SMALL,
        params=TABLES | {"Resume": 1, "DigitBits": range(8, 19)},
    ),
    sweep(num_bits=1024, params=TABLES | {"MinModBits": 1023}),
    sweep(num_bits=1024, params=TABLES | {"MinModBits": 1023, "Resume": 1}),
]

FOLDED = [
    Case(id="one-element", num_bits=64, params={"NumElements": 1, "NumSlots": 9, "Contexts": 1}),
    Case(id="four-elements", num_bits=160, params={"NumElements": 4}),
    Case(id="three-elements", num_bits=SMALL, params={"DigitBits": 9, "NumElements": 3}),
    Case(
        id="four-elements-delay2",
        num_bits=SMALL,
        params={"NumElements": 4, "QuotientDelay": 2, "MulStages": 4},
    ),
    Case(
        id="bound-three-elements",
        num_bits=SMALL,
        params={"MinModBits": range(1, 64), "NumElements": 3},
    ),
    Case(
        id="resume-three-elements",
        num_bits=SMALL,
        params={"Resume": 1, "MinModBits": range(1, 64), "NumElements": 3},
    ),
    sweep(num_bits=1024, params={"NumElements": 8, "MinModBits": 1022}),
    sweep(num_bits=LARGE, params={"NumElements": range(2, 9), "Resume": 1}),
    *(
        sweep(
            num_bits=LARGE,
            params={
                "DigitBits": digit_bits,
                "NumElements": elements,
                "QuotientDelay": 2,
                "MulStages": stages,
            },
        )
        for digit_bits, elements, stages in (
            (8, 2, 3),
            (13, 3, 4),
            (17, 5, 4),
            (18, 2, 4),
            (18, 9, 4),
        )
    ),
    *(
        sweep(num_bits=LARGE, params={"DigitBits": digit_bits, "NumElements": elements})
        for digit_bits in (8, 13, 17, 18)
        for elements in (2, 3, 5, 8)
    ),
    sweep(num_bits=1024, params={"NumElements": 8}),
    sweep(num_bits=1024, params={"NumElements": 16}),
    sweep(num_bits=1024, params={"NumElements": 32}),
    sweep(num_bits=2048, params={"NumElements": 16}),
    sweep(num_bits=4096, params={"NumElements": 8}),
]

PAIR = [
    Case(id="pair-port0", num_bits=SMALL, params={"Port": 0, "Lag": 5}, pair=True),
    Case(id="pair-port1", num_bits=SMALL, params={"Port": 1, "Lag": 4, "DigitBits": 13}, pair=True),
    Case(
        id="pair-bound",
        num_bits=128,
        params={"Port": range(2), "Lag": range(1, 65), "MinModBits": range(120, 128)},
        pair=True,
    ),
    Case(
        id="pair-resume",
        num_bits=128,
        params={"Port": range(2), "Lag": range(1, 65), "MinModBits": range(1, 128), "Resume": 1},
        pair=True,
    ),
    Case(
        id="pair-tables-resume",
        num_bits=SMALL,
        params=TABLES | {"Port": range(2), "Lag": range(1, 65), "Resume": 1},
        pair=True,
    ),
    Case(
        id="pair-tables-sum",
        num_bits=SMALL,
        params=TABLES
        | {"Port": range(2), "Lag": range(1, 65), "DigitBits": range(8, 19), "LoadSum": 1},
        pair=True,
    ),
    Case(
        id="pair-tables-factors",
        num_bits=SMALL,
        params=TABLES | FACTORS | {"Port": range(2), "Lag": range(1, 65), "LoadSum": 1},
        pair=True,
    ),
    Case(
        id="pair-in-turn",
        num_bits=SMALL,
        params=TABLES | FACTORS | {"Port": range(2), "Lag": range(1, 65), "TwoInTurn": 1},
        pair=True,
    ),
    *(
        sweep(
            num_bits=range(64, 400),
            params={"Port": port, "Lag": range(1, 65), "LoadSum": 1, "TwoInTurn": 1},
            pair=True,
        )
        for port in (0, 1)
    ),
    Case(
        id="pair-tables",
        num_bits=SMALL,
        params=TABLES | {"Port": range(2), "Lag": range(1, 65)},
        pair=True,
    ),
    Case(
        id="pair-tables-any-digit",
        num_bits=SMALL,
        params=TABLES | {"Port": range(2), "Lag": range(1, 65), "DigitBits": range(8, 18)},
        pair=True,
    ),
    *(
        sweep(
            num_bits=range(64, 400),
            params=TABLES | {"Port": port, "Lag": lag, "DigitBits": digit_bits},
            pair=True,
        )
        for port in (0, 1)
        for lag, digit_bits in ((1, 9), (2, 18), (7, 8), (64, 10))
    ),
    *(
        sweep(
            num_bits=range(64, 400),
            params={"Port": port, "Lag": lag, "DigitBits": digit_bits},
            pair=True,
        )
        for port in (0, 1)
        for lag, digit_bits in ((1, 18), (2, 8), (3, 17), (8, 9), (21, 18), (64, 11))
    ),
    sweep(num_bits=1024, params={"Port": 1, "Lag": 33}, pair=True),
]

CASES = [*FULL_ARRAY, *TABLE_ARRAY, *FOLDED, *PAIR]
