# SPDX-License-Identifier: Apache-2.0
"""Driver of a farm of RSA cores, `mf_rsa_farm_axil`, over any transport."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from modfab.errors import DeviceError, OperandError
from modfab.host.check import WRONG_RESULT, is_private_result
from modfab.host.closing import closed_on_error
from modfab.host.core_device import CoreDevice, CoreMap, field_of
from modfab.host.farm_transport import FarmTransport
from modfab.host.generated import mf_rsa_farm_regs as regs
from modfab.host.key_check import check_factors, check_prime_lengths
from modfab.host.keys import RsaPrivate
from modfab.host.status import status_sentence
from modfab.models.generated.status import JobStatus, RsaStatus
from modfab.models.rsa.packets import FAULTS, Answer, UnknownEndingError, job_words, parse_answer
from modfab.numbers import from_words, to_words, words_of

_MAP = CoreMap("farm", regs, regs.CYCLES_LO, regs.CYCLES_HI)
_WAIT_S = 0.1
_JOBS_A_CORE = 3  # in inbox, core and outbox
# After these a job is sent again. The driver has seen that the number is below n, so a core that
# says otherwise has a fault, and so has one whose good ending comes with a wrong result.
_AGAIN = (*FAULTS, JobStatus.SERVICE, JobStatus.OPERAND, JobStatus.OK)

Done = Callable[[int, int | None], None]
"""Told after every job: jobs answered, and jobs in total."""


@dataclass(frozen=True, slots=True)
class CoreState:
    """What the registers say of one core of the farm."""

    jobs: int
    faults: int
    in_service: bool
    out_of_service: bool
    status: RsaStatus
    last_cycles: int


class _Jobs:
    """The jobs of one run: which wait (index and try), which are out, which ids are free.

    Args:
        count: Of all jobs.
        num_ids: Jobs that may be out at a time.
        flying: None yet; what is left in it at the end was sent, but not answered.
    """

    def __init__(self, count: int, num_ids: int, flying: dict[int, tuple[int, int]]) -> None:
        self.results = [0] * count
        self.waiting = deque((index, 1) for index in range(count))
        self.flying = flying
        self.ids = deque(range(num_ids))  # the one that was used last comes last


def _problem(answer: Answer, base: int, key: RsaPrivate | None) -> str:
    """What is wrong with an answer, empty for nothing; `key` when it is to be a private result."""
    if answer.status is not JobStatus.OK:
        return answer.status.sentence
    wrong = key is not None and not is_private_result(from_words(answer.words), base, key)
    return WRONG_RESULT if wrong else ""


class FarmDevice(CoreDevice):
    """One farm, used by one program at a time.

    Args:
        transport: The way to the farm; closed together with the device.
        stall_s: Seconds without an answer and without any change of a cycle counter that count as
            a dead farm.
        tries: Most times that a job is sent which no core ends; each time another one may get it.

    Raises:
        DeviceError: What answers is not this core, or its register map is another one.
    """

    def __init__(self, transport: FarmTransport, stall_s: float = 10.0, tries: int = 4) -> None:
        super().__init__(_MAP, transport, stall_s)
        self._queue, self._tries = transport, tries
        self._key: RsaPrivate | None = None
        self._flying: dict[int, tuple[int, int]] = {}  # what an interrupted run left, too
        with closed_on_error(transport):
            self.prime_bits = self._read(regs.PRIME_BITS)
            self.min_prime_bits = self._read(regs.MIN_PRIME_BITS)
            capability = self._read(regs.CAPABILITY)
        self.num_cores = field_of(capability, regs.CAPABILITY_CORES_MASK)
        self._num_ids = 1 << field_of(capability, regs.CAPABILITY_ID_BITS_MASK)

    # ---- key ----
    def load_key(self, key: RsaPrivate) -> int:
        """Write a key to all cores and let them check and prepare it.

        Returns:
            Cores that are in service with it.

        Raises:
            OperandError: The key does not fit into this farm, or is none.
            DeviceError: Every core refused the key, or the farm does not answer.
        """
        self._check_open()
        check_factors(key)
        check_prime_lengths(key, self.min_prime_bits, self.prime_bits)
        if self._read(regs.STATUS) & regs.STATUS_LOCKED_MASK:
            raise DeviceError(
                "The farm holds a locked key and takes no other; use the one it holds, or zeroize "
                "the farm first."
            )
        self._write(regs.ACCEPT, 0)
        self._wait_until_idle()
        self.zeroize()  # nothing of an older key stays in any core
        while self._queue.receive(_WAIT_S):  # nor an answer to a job of whoever had that key
            pass
        self._flying.clear()
        parts = {
            regs.P_WINDOW: key.p,
            regs.Q_WINDOW: key.q,
            regs.DP_WINDOW: key.d % (key.p - 1),
            regs.DQ_WINDOW: key.d % (key.q - 1),
            regs.QI_WINDOW: pow(key.q, -1, key.p),
        }
        for window, value in parts.items():
            self._put(window, value, self.prime_bits)
        self._put(regs.E_WINDOW, key.e, 2 * self.prime_bits)
        self._write(regs.E_BITS, key.e.bit_length())
        self._write(regs.SELECT, 0)
        code = self._run(regs.CTRL_KEY_MASK, None, None)
        if not self._read(regs.SERVICE):
            raise DeviceError(status_sentence(JobStatus, code))
        self._write(regs.ACCEPT, regs.ACCEPT_ON_MASK)
        self._key = key
        return self._read(regs.SERVICE).bit_count()

    def lock(self) -> None:
        """Refuse every change of the key until the farm is zeroized or reset.

        Raises:
            DeviceError: The farm does not show the lock, or does not answer.
        """
        self._write(regs.ACCEPT, 0)
        self._wait_until_idle()
        self._write(regs.CTRL, regs.CTRL_LOCK_MASK)
        locked = self._read(regs.STATUS) & regs.STATUS_LOCKED_MASK
        self._write(regs.ACCEPT, int(self._key is not None))
        if not locked:
            raise DeviceError(
                "The farm has not taken the lock, so another key can still be loaded; zeroize the "
                "farm, and test the device if it persists."
            )

    def set_fault_limit(self, faults: int) -> None:
        """Faults after which a core stays out of service until the next key; 0 for no limit.

        A limit below the faults that a core has had since its key acts at the next one.

        Raises:
            OperandError: The limit is out of range.
            DeviceError: The farm does not answer.
        """
        self._check_open()
        if not 0 <= faults <= regs.FAULT_LIMIT_FAULTS_MASK:
            raise OperandError(
                f"Expected a limit of 0 to {regs.FAULT_LIMIT_FAULTS_MASK} faults, but got "
                f"{faults}; choose one of these."
            )
        self._write(regs.FAULT_LIMIT, faults)

    # ---- jobs ----
    def run(
        self, bases: Sequence[int], public: bool = False, done: Done | None = None
    ) -> list[int]:
        """base^d mod n, or base^e mod n, of many numbers; the queue is kept full.

        A job that a core did not end is sent again. A run that an exception of the caller's ended,
        in `done` or by a signal, leaves jobs in the farm; the next one takes their answers first.

        Args:
            bases: Numbers below n.
            public: The exponent is e.
            done: Told after every job.

        Returns:
            The results in the order of the bases.

        Raises:
            OperandError: A number is not below n, or no key is loaded.
            DeviceError: A job was refused, or was not done after all tries, or the farm hangs.
        """
        key = self._key_for(bases, public)
        self._drain(self._flying)
        most = min(_JOBS_A_CORE * self.num_cores + 1, self._num_ids)
        jobs = _Jobs(len(bases), most, self._flying)
        answered = 0
        while jobs.waiting or jobs.flying:
            self._send(jobs, bases, public)
            try:
                answer = self._next_answer()
            except UnknownEndingError as error:
                jobs.flying.pop(error.job_id, None)
                self._drain(jobs.flying)
                raise
            index, number = self._claim(jobs.flying, answer.job_id)
            jobs.ids.append(answer.job_id)
            problem = _problem(answer, bases[index], None if public else key)
            if not problem:
                jobs.results[index] = from_words(answer.words)
                answered += 1
                if done:
                    done(answered, len(bases))
            elif answer.status in _AGAIN and number < self._tries:
                jobs.waiting.append((index, number + 1))
            else:
                self._drain(jobs.flying)
                raise DeviceError(problem)
        return jobs.results

    def core(self, index: int) -> CoreState:
        """The registers of one core.

        Raises:
            DeviceError: The core has a status that the driver does not know.
        """
        self._write(regs.SELECT, index)
        error = field_of(self._read(regs.STATUS), regs.STATUS_ERROR_MASK)
        if error not in set(RsaStatus):
            raise DeviceError(status_sentence(RsaStatus, error))
        return CoreState(
            jobs=self._read(regs.CORE_JOBS),
            faults=self._read(regs.CORE_FAULTS),
            in_service=bool(self._read(regs.SERVICE) >> index & 1),
            out_of_service=bool(self._read(regs.OUT_OF_SERVICE) >> index & 1),
            status=RsaStatus(error),
            last_cycles=self._cycles(),
        )

    # ---- steps ----
    def _forget(self) -> None:
        self._key = None

    def _key_for(self, bases: Sequence[int], public: bool) -> RsaPrivate:
        """The loaded key, when these jobs can be done with it."""
        self._check_open()
        if self._key is None:
            raise OperandError(JobStatus.NO_KEY.sentence)
        if public and not self._key.e:
            raise OperandError(
                "A public operation needs the public exponent, but this key has none; load the "
                "key with its exponent."
            )
        if not all(0 <= base < self._key.n for base in bases):
            raise OperandError(JobStatus.OPERAND.sentence)
        return self._key

    def _send(self, jobs: _Jobs, bases: Sequence[int], public: bool) -> None:
        """Send jobs while there are some and an id is free."""
        while jobs.waiting and jobs.ids:
            index, number = jobs.waiting.popleft()
            job_id = jobs.ids.popleft()
            jobs.flying[job_id] = index, number
            message = to_words(bases[index], words_of(2 * self.prime_bits))
            self._queue.send(job_words(job_id, message, public))

    @staticmethod
    def _claim(flying: dict[int, tuple[int, int]], job_id: int) -> tuple[int, int]:
        if job_id not in flying:
            raise DeviceError(
                f"The farm answered job {job_id}, which was not sent; zeroize it, and see "
                "that nobody else sends jobs."
            )
        return flying.pop(job_id)

    def _drain(self, flying: dict[int, tuple[int, int]]) -> None:
        """Take the answers that are still to come, so that the next run does not get them."""
        while flying:
            try:
                job_id = self._next_answer().job_id
            except UnknownEndingError as error:  # one error is told already
                job_id = error.job_id
            self._claim(flying, job_id)

    def _next_answer(self) -> Answer:
        seen, since = -1, time.monotonic()
        while True:
            packet = self._queue.receive(_WAIT_S)
            if packet is not None:
                return parse_answer(packet)
            seen, since = self._alive(seen, since)

    def _alive(self, seen: int, since: float) -> tuple[int, float]:
        """The cores' cycle counters in one number, and when they last changed."""
        total, now = 0, time.monotonic()
        for index in range(self.num_cores):
            self._write(regs.SELECT, index)
            total += self._cycles()
        if total != seen:
            return total, now
        if now - since > self._stall_s:
            raise DeviceError(
                f"The farm has given no answer and moved no cycle counter for {self._stall_s:g} "
                "seconds; check its clock, its reset and its stream ports."
            )
        return seen, since
