# SPDX-License-Identifier: Apache-2.0
"""Driver of the core `mf_rsa_axil`, over any transport."""

from __future__ import annotations

from collections.abc import Callable

from modfab.errors import DeviceError, OperandError, SelfTestError
from modfab.host import rsa_commands
from modfab.host.built import built_of
from modfab.host.check import checked_result
from modfab.host.closing import closed_on_error
from modfab.host.core_device import CoreDevice, CoreMap, CycleProgress, field_of
from modfab.host.generated import mf_rsa_regs as regs
from modfab.host.key_check import check_factors, check_length, check_prime_lengths, check_public
from modfab.host.keys import RsaPrivate, RsaPublic
from modfab.host.rsa_result import RsaResult
from modfab.host.status import status_sentence
from modfab.host.transport import Transport
from modfab.models.generated.status import RsaStatus
from modfab.models.rsa.entry import RsaEntry
from modfab.models.rsa.program import USUAL_E
from modfab.numbers import words_of

ProgramCycles = Callable[[RsaEntry, int], int]
"""(program, e) -> its cycles, for progress displays."""

_MAP = CoreMap("RSA core", regs, regs.CYCLES_LO, regs.CYCLES_HI)

N_WINDOW = regs.P_WINDOW
"""Where a core for public operations only has its modulus."""

_MAKES = RsaEntry.DERIVE, RsaEntry.KEY
_TRIAL = 3  # the base of the operation that tells keys apart
_WITH_CONTEXTS = 3  # minor number of the register map from which on there may be several keys


class RsaDevice(CoreDevice):
    """One RSA core, used by one program at a time; keeps a key for many operations.

    A core with several key contexts keeps as many keys: they are loaded into, used in and locked in
    the chosen one.

    Args:
        transport: The way to the core; closed together with the device.
        cycles: Cycles of a program, when the caller knows the core's configuration.
        stall_s: Seconds without a change of the core's cycle counter that count as a dead core.

    With `keep` set, closing wipes message and result but leaves every key in the core; else it
    empties the contexts that a key or a message was written to, and of a core with one key all. A
    core to which nothing was written stays as it is.
    `engine` and `sequencer` are what the core says that it was built of.

    Raises:
        DeviceError: What answers is not this core, or its register map is another one.
    """

    def __init__(
        self, transport: Transport, cycles: ProgramCycles | None = None, stall_s: float = 10.0
    ) -> None:
        super().__init__(_MAP, transport, stall_s)
        self._program_cycles = cycles
        self._keys: dict[int, RsaPublic] = {}
        self._written: set[int] = set()  # contexts with a key or a message of this driver's
        self.keep = False
        self.key_loads = 0  # private keys that this driver has set up
        self.contexts, self.context = 1, 0
        with closed_on_error(transport):
            self.prime_bits = self._read(regs.PRIME_BITS)
            self.min_prime_bits = self._read(regs.MIN_PRIME_BITS)
            capability = self._read(regs.CAPABILITY)
            self.engine, self.sequencer = built_of(capability)
            self.public_only = bool(capability & regs.CAPABILITY_PUBLIC_ONLY_MASK)
            self.num_bits = self.prime_bits * (1 if self.public_only else 2)
            if field_of(self._read(regs.VERSION), regs.VERSION_MINOR_MASK) >= _WITH_CONTEXTS:
                contexts = self._read(regs.CONTEXT)
                self.contexts = field_of(contexts, regs.CONTEXT_COUNT_MASK)
                self.context = field_of(contexts, regs.CONTEXT_CHOSEN_MASK)

    # ---- operations ----
    def load_key(
        self, key: RsaPrivate, progress: CycleProgress | None = None, derive: bool = False
    ) -> int:
        """Write a key and let the core check and prepare it; a loaded key is not written again.

        Args:
            key: Its parts have to fit each other; the core checks them.
            progress: Told now and then how far the core is.
            derive: The core itself computes dP, dQ and qInv, from p, q and d.

        Returns:
            Cycles of the set-up; 0 when this key is there already.

        Raises:
            OperandError: The key does not fit into this core, or is none.
            DeviceError: The core refused the key, or does not answer.
        """
        valid = self._read(regs.STATUS) & regs.STATUS_KEY_VALID_MASK
        if valid and self._key == key:
            return 0
        self._check_key(key)
        self._make_room()
        for window, (value, is_half) in rsa_commands.parts_of(key, derive).items():
            self._put(window, value, self.prime_bits if is_half else self.num_bits)
        self._write(regs.E_BITS, key.e.bit_length())
        cycles = self._execute(RsaEntry.DERIVE, key, progress) if derive else 0
        cycles += self._execute(RsaEntry.KEY, key, progress)
        if derive and self._status_done & regs.STATUS_RESULT_VALID_MASK:
            self.erase()
            raise OperandError(rsa_commands.MAKES_KEYS)
        self.key_loads += 1
        self._keys[self.context] = key
        return cycles

    def generate_key(self, progress: CycleProgress | None = None) -> tuple[RsaPublic, int]:
        """The public key of one that the core makes and keeps, and the cycles of that.

        Raises:
            OperandError: The core was not built for this, or found no prime.
            DeviceError: It has no random words, or does not answer.
        """
        self._make_room()
        key = RsaPublic(n=0, e=USUAL_E)
        self._write(regs.E_BITS, key.e.bit_length())
        try:
            cycles = sum(self._execute(entry, key, progress) for entry in _MAKES)
        except DeviceError:
            if field_of(self._status_done, regs.STATUS_ERROR_MASK) == RsaStatus.KEY:
                raise OperandError(rsa_commands.NO_KEYGEN) from None
            raise
        key = RsaPublic(n=self._get(regs.RESULT_WINDOW, words_of(self.num_bits)), e=key.e)
        check_length(key, 2 * self.min_prime_bits, self.num_bits)
        self.adopt(key)
        return key, cycles

    def choose(self, context: int) -> int:
        """Change to a context: keys, operations and the lock are its from now on.

        Args:
            context: Its number, below `contexts`. One without a key is emptied.

        Returns:
            Cycles of the change; 0 when it is the chosen one already.

        Raises:
            OperandError: The core has no such context.
            DeviceError: The change did not end well, or the core does not answer.
        """
        if not 0 <= context < self.contexts:
            raise OperandError(rsa_commands.wrong_context(context, self.contexts))
        self._wait_until_idle()
        if context == self.context:
            return 0
        self._write(regs.CONTEXT, context)
        cycles = self._command(RsaEntry.CHANGE)
        self.context = context
        return cycles

    def use(self, key: RsaPrivate) -> int:
        """Change to the context with this key, which is loaded first where there is none.

        It goes into an empty context, else into that of the key of this driver which was used
        longest ago; keys that others have loaded stay.

        Returns:
            Cycles of change and set-up; 0 when it is the chosen one already.

        Raises:
            OperandError: As `load_key`.
            DeviceError: As `load_key`, or every context holds another's key.
        """
        self._wait_until_idle()
        self._check_key(key)
        held = [context for context, there in self._keys.items() if there == key]
        context = held[0] if held else self._place()
        cycles = self.choose(context) + self.load_key(key)
        self._keys[context] = self._keys.pop(context)  # the last one is the last that was used
        return cycles

    def _place(self) -> int:
        """The context for another key."""
        if self.contexts == 1:
            return 0
        valid, locked = self.valid_keys, self.locked_keys
        empty = (c for c, there in enumerate(valid) if not there and not locked[c])
        own = (context for context in self._keys if not locked[context])
        place = next(empty, next(own, None))
        if place is None:
            raise DeviceError(rsa_commands.NO_CONTEXT)
        return place

    def erase(self) -> None:
        """Wipe the chosen context, message and result; the other contexts keep their keys.

        Raises:
            DeviceError: The core does not answer.
        """
        self._wait_until_idle()
        if self.contexts == 1:
            self.zeroize()
            return
        self._keys.pop(self.context, None)
        self._command(RsaEntry.LEAVE)

    @property
    def valid_keys(self) -> tuple[bool, ...]:
        """Which contexts have a key."""
        return self._flags(regs.STATUS_KEY_VALID_MASK, regs.KEYS_VALID_MASK)

    @property
    def locked_keys(self) -> tuple[bool, ...]:
        """Which contexts take no other key."""
        return self._flags(regs.STATUS_LOCKED_MASK, regs.KEYS_LOCKED_MASK)

    def load_public(self, key: RsaPublic, progress: CycleProgress | None = None) -> int:
        """Write n and e into a core for public operations only; a loaded key is not written again.

        Args:
            key: Only n and e of it are used.
            progress: Told now and then how far the core is.

        Returns:
            Cycles of the set-up; 0 when this key is there already.

        Raises:
            OperandError: The key does not fit into this core, or is none.
            DeviceError: The core takes private keys only, refused the key, or does not answer.
        """
        key = RsaPublic(n=key.n, e=key.e)
        valid = self._read(regs.STATUS) & regs.STATUS_KEY_VALID_MASK
        if valid and self._key == key:
            return 0
        self._check_public(key)
        self._make_room()
        self._put(N_WINDOW, key.n, self.num_bits)
        self._put(regs.E_WINDOW, key.e, self.num_bits)
        self._write(regs.E_BITS, key.e.bit_length())
        cycles = self._execute(RsaEntry.KEY, key, progress)
        self._keys[self.context] = key
        return cycles

    def adopt(self, key: RsaPublic) -> None:
        """Use the key that the core holds already, after one operation has shown which it is.

        Raises:
            DeviceError: The core holds no key, or another one.
        """
        self._wait_until_idle()
        if not self._read(regs.STATUS) & regs.STATUS_KEY_VALID_MASK:
            raise DeviceError(RsaStatus.NO_KEY.sentence)
        self._keys[self.context] = key
        try:
            held = self.public(_TRIAL).value == pow(_TRIAL, key.e, key.n)
        except DeviceError:
            held = False
        if not held:
            self._keys.pop(self.context, None)
            raise DeviceError(rsa_commands.OTHER_KEY)

    def private(self, base: int, progress: CycleProgress | None = None) -> RsaResult:
        """base^d mod n with the loaded key, compared with the base by e where that is known.

        Raises:
            OperandError: The base is not below n, no key is loaded, or the core has none of its
                own.
            DeviceError: The core ended with an error, gave a wrong result, or does not answer.
        """
        if self.public_only:
            raise OperandError(rsa_commands.NO_PRIVATE)
        result = self._operate(RsaEntry.PRIVATE, base, progress)
        if self._key is not None:
            checked_result(result.value, base, self._key)
        return result

    def public(self, base: int, progress: CycleProgress | None = None) -> RsaResult:
        """base^e mod n with the loaded key; raises as `private`."""
        self._check_open()
        return self._operate(RsaEntry.PUBLIC, base, progress)

    def lock(self) -> None:
        """Refuse every change of the key until it is erased or the core is zeroized or reset.

        Raises:
            DeviceError: The core does not show the lock, or does not answer.
        """
        self._wait_until_idle()
        self._write(regs.CTRL, regs.CTRL_LOCK_MASK)
        if not self._read(regs.STATUS) & regs.STATUS_LOCKED_MASK:
            raise DeviceError(rsa_commands.NOT_LOCKED)

    def selftest(self) -> int:
        """Let the core compute a known answer, show that its alarm rises, and wipe itself.

        Returns:
            Cycles of the test.

        Raises:
            SelfTestError: The answer is wrong; the core has shut itself off.
            DeviceError: The core holds a key, which the test would wipe, or does not answer.
        """
        self._wait_until_idle()
        if any(self.valid_keys):
            raise DeviceError(rsa_commands.HOLDS_KEY)
        self._keys = {}
        code = self._run(rsa_commands.COMMANDS[RsaEntry.TEST], None, None)
        if code != RsaStatus.OK:
            raise SelfTestError(status_sentence(RsaStatus, code))
        return self._cycles_done

    @property
    def faults(self) -> int:
        """Operations that ended with a fault or by the watchdog since the core's reset."""
        return self._read(regs.FAULTS)

    # ---- steps ----
    def _leave(self) -> None:
        """With `keep` the keys stay, and always those that this driver has not touched."""
        if self.keep:
            self._wait_until_idle()
            self._put(regs.MESSAGE_WINDOW, 0, self.num_bits)  # takes the result away as well
        elif self.contexts == 1 and self._written:
            self.zeroize()
        else:
            try:
                for context in sorted(self._written):
                    self.choose(context)
                    self.erase()
            except DeviceError:
                self.zeroize()

    @property
    def _key(self) -> RsaPublic | None:
        """The key of the chosen context, as far as this driver knows it."""
        return self._keys.get(self.context)

    def _forget(self) -> None:
        self._keys, self._written, self.context = {}, set(), 0

    def _flags(self, only: int, each: int) -> tuple[bool, ...]:
        """A flag of each context: a bit of STATUS where there is one only, else of KEYS."""
        register, mask = (regs.STATUS, only) if self.contexts == 1 else (regs.KEYS, each)
        flags = field_of(self._read(register), mask)
        return tuple(bool(flags >> context & 1) for context in range(self.contexts))

    def _command(self, entry: RsaEntry) -> int:
        """A command that ends well; its cycles."""
        code = self._run(rsa_commands.COMMANDS[entry], None, None)
        if code != RsaStatus.OK:
            self._forget()
            raise DeviceError(status_sentence(RsaStatus, code))
        return self._cycles_done

    def _make_room(self) -> None:
        """Nothing of an older key stays, neither its copies nor its blinding pairs."""
        self._wait_until_idle()
        if self._read(regs.STATUS) & regs.STATUS_LOCKED_MASK:
            raise DeviceError(rsa_commands.LOCKED)
        self.erase()
        self._written.add(self.context)

    def _check_public(self, key: RsaPublic) -> None:
        if not self.public_only:
            raise OperandError(rsa_commands.NO_PUBLIC)
        check_public(key)
        check_length(key, self.min_prime_bits, self.num_bits)

    def _check_key(self, key: RsaPrivate) -> None:
        if self.public_only:
            raise OperandError(rsa_commands.NO_PRIVATE)
        check_factors(key)
        check_prime_lengths(key, self.min_prime_bits, self.prime_bits)

    def _operate(self, entry: RsaEntry, base: int, progress: CycleProgress | None) -> RsaResult:
        self._check_open()
        if self._key is None:
            raise OperandError(RsaStatus.NO_KEY.sentence)
        if not 0 <= base < self._key.n:
            raise OperandError(RsaStatus.OPERAND.sentence)
        self._wait_until_idle()
        self._written.add(self.context)
        self._put(regs.MESSAGE_WINDOW, base, self.num_bits)
        cycles = self._execute(entry, self._key, progress)
        if not self._status_done & regs.STATUS_RESULT_VALID_MASK:
            raise DeviceError(rsa_commands.NO_RESULT)
        return RsaResult(self._get(regs.RESULT_WINDOW, words_of(self.num_bits)), cycles, 0)

    def _execute(self, entry: RsaEntry, key: RsaPublic, progress: CycleProgress | None) -> int:
        """Run a program to its end; its cycles."""
        estimate = self._program_cycles
        total = estimate(entry, key.e) if estimate else None
        code = self._run(rsa_commands.COMMANDS[entry], progress, total)
        if code != RsaStatus.OK:
            if not self._read(regs.STATUS) & regs.STATUS_KEY_VALID_MASK:
                self._keys.pop(self.context, None)
            raise DeviceError(status_sentence(RsaStatus, code))
        done = self._cycles_done
        if progress:
            progress(done, done)
        return done
