# SPDX-License-Identifier: Apache-2.0
"""The jobs of the testbench of a packaged farm, and what has to come back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from modfab.build.farm import FarmCore
from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.host.keys import RsaPrivate
from modfab.models.generated.status import JobStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.package.bench_rsa import hexadecimal, key_of, key_values, load_check
from modfab.package.templates import fill


@dataclass(frozen=True, slots=True)
class Job:
    """One packet and its answer.

    Attributes:
        message: A number.
        num_words: Words of it that are sent.
        public: Exponent e instead of d.
        ending: How the job ends; `result` is 0 unless well.
        result: From Python's pow.
    """

    message: int
    num_words: int
    public: bool = False
    ending: JobStatus = JobStatus.OK
    result: int = 0

    def line(self, width: int) -> str:
        """The call of the bench's task; numbers have that many bits."""
        numbers = hexadecimal(width, self.message, self.result)
        return f"    job({int(self.public)}, {self.num_words}, {numbers}, {int(self.ending)});"


def jobs_of(config: FarmCore, key: RsaPrivate) -> tuple[Job, ...]:
    """One that stands alone, a public one and wrong ones, then two private ones for each core."""
    words, number = config.num_words, 2 * config.cores

    def good(message: int, public: bool = False) -> Job:
        power = pow(message, key.e if public else key.d, key.n)
        return Job(message, words, public, JobStatus.OK, power)

    messages = [key.n - 1, *((i + 1) * key.n // (number + 1) for i in range(number))]
    alone, *private = (good(message) for message in messages)
    return (
        alone,
        good(2, public=True),
        Job(key.n, words, ending=JobStatus.OPERAND),
        Job(3, words - 1, ending=JobStatus.FORMAT),
        Job(5, words + 1, ending=JobStatus.FORMAT),
        *private,
    )


def _checks(config: FarmCore, key: RsaPrivate, jobs: tuple[Job, ...]) -> list[str]:
    width, ctrl = 32 * (config.num_words + 1), f"16'h{regs.CTRL:x}"
    accept = f"    write(16'h{regs.ACCEPT:x}, 1);"
    private = [core.programs().program(RsaEntry.PRIVATE, key.e) for core in config.different()]
    alone, *others = (job.line(width) for job in jobs)
    zeroized, no_key = (
        Job(7, config.num_words, ending=status).line(width)
        for status in (JobStatus.ZEROIZED, JobStatus.NO_KEY)
    )
    return [
        *(load_check(config.rsa, key), accept),
        *(alone, f"    wait_for_answers; check_latency({config.lone_cycles(private[0])});"),
        *("    pauses = 1;", *others),
        *(
            "    wait_for_answers;",
            f"    check_counters({len(jobs)}, 64'd{private[0]}, 64'd{private[-1]});",
        ),
        *(zeroized, f"    write({ctrl}, 32'h{regs.CTRL_ZEROIZE_MASK:x});"),
        *("    wait_for_answers; check_wiped;", accept, no_key, "    wait_for_answers;"),
    ]


def farm_values(config: FarmCore, used: Mapping[str, str]) -> dict[str, str]:
    """What only the farm's bench has, by the names of the template.

    Args:
        config: The farm.
        used: What is the same for every core.
    """
    key = key_of(config.rsa)
    jobs = jobs_of(config, key)
    slowest = max(core.programs().slowest for core in config.different())
    number = len(jobs) + 2  # and those that meet zeroize
    values = key_values(regs, config.rsa, used) | {
        "num_words": str(config.num_words),
        "num_cores": str(config.cores),
        "num_small": str(config.small_cores),
        "all_cores": f"{(1 << config.cores) - 1:x}",
        "num_vectors": str(number),
        "checks": "\n".join(_checks(config, key, jobs)),
        "max_cycles": str(8 * slowest + 10000 * config.num_words * config.cores),
    }
    return values | {"operate": fill("bench_farm.v", {**used, **values})}
