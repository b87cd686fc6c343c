# SPDX-License-Identifier: Apache-2.0
"""Words of the packets of the farm, as in rtl/farm/mf_rsa_farm_pkg.sv."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modfab.errors import DeviceError
from modfab.models.generated.status import JobStatus

ID_MASK = 0xFFFF
_PUBLIC_SHIFT = 16
_STATUS_SHIFT = 16
_CORE_SHIFT = 24

FAULTS = (JobStatus.FAULT, JobStatus.WATCHDOG, JobStatus.ENTROPY, JobStatus.KEY)
"""Endings that count as faults of a core; it sets up its key again, but not after `entropy`."""


class UnknownEndingError(DeviceError):
    """An answer with an ending that the register map does not name.

    Attributes:
        job_id: The job that was answered.
    """

    def __init__(self, job_id: int, code: int) -> None:
        super().__init__(
            f"The farm ended a job with the unknown code {code}; use the modfab release that built "
            "it, and check the stream ports."
        )
        self.job_id = job_id


@dataclass(frozen=True, slots=True)
class Answer:
    """What the farm says about one job.

    Attributes:
        job_id: The sender's.
        status: How the job ended.
        core: Which core answered.
        words: The result, zeros unless the job ended well.
    """

    job_id: int
    status: JobStatus
    core: int
    words: tuple[int, ...]


def job_words(job_id: int, message: Sequence[int], public: bool = False) -> list[int]:
    """The packet of a job.

    >>> [hex(word) for word in job_words(7, [1, 2], public=True)]
    ['0x10007', '0x1', '0x2']
    """
    return [job_id | public << _PUBLIC_SHIFT, *message]


def status_word(job_id: int, status: JobStatus, core: int) -> int:
    """The last word of an answer."""
    return core << _CORE_SHIFT | status << _STATUS_SHIFT | job_id


def parse_answer(packet: Sequence[int]) -> Answer:
    """The answer that a packet carries.

    Raises:
        UnknownEndingError: Its ending has no name.

    >>> parse_answer([5, 6, status_word(7, JobStatus.OK, core=1)])
    Answer(job_id=7, status=<JobStatus.OK: 0>, core=1, words=(5, 6))
    """
    *words, last = packet
    code = last >> _STATUS_SHIFT & 0xF
    if code not in set(JobStatus):
        raise UnknownEndingError(last & ID_MASK, code)
    return Answer(last & ID_MASK, JobStatus(code), last >> _CORE_SHIFT, tuple(words))
