# SPDX-License-Identifier: Apache-2.0
"""What each ending of a job means, as a sentence for users."""

from __future__ import annotations

from modfab.host.rsa_status import rsa_status_sentence
from modfab.models.rsa.job_status import JobStatus

_SENTENCES = {
    JobStatus.NO_KEY: "No key is set up in the farm; load one first.",
    JobStatus.ZEROIZED: "The farm was zeroized before it answered this job; load the key again.",
    JobStatus.FORMAT: (
        "The farm refused a job's packet: it must be one word with the job's id and then as many "
        "words as CAPABILITY and PRIME_BITS say; use the modfab release that built the farm."
    ),
    JobStatus.SERVICE: (
        "The job's core went out of service before the job's turn came; send it again, and look "
        "at the cores' fault counters."
    ),
}


def job_status_sentence(status: JobStatus) -> str:
    """The sentence for the ending of a job.

    >>> job_status_sentence(JobStatus.NO_KEY)
    'No key is set up in the farm; load one first.'
    """
    return _SENTENCES.get(status) or rsa_status_sentence(status)
