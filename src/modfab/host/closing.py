# SPDX-License-Identifier: Apache-2.0
"""Context managers whose end may fail, such as by a line that is gone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol, TypeVar

from modfab.errors import DeviceError, ModfabError, NotWipedError

_Self = TypeVar("_Self", bound="Closing")


class Closing(ABC):
    """Closed at the end of a `with`.

    An error of its body says more than one of closing, which is dropped, but for a core that was
    not wiped: that is told beside a ModfabError, and in place of an end by a signal.
    """

    @abstractmethod
    def close(self) -> None:
        """Release what is held; a second call does nothing."""

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except NotWipedError as second:
            if error is None or isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            if isinstance(error, ModfabError):
                raise NotWipedError(second.advice, error) from error
        except DeviceError:
            if error is None:
                raise


class Closable(Protocol):
    """What a device is reached through."""

    def close(self) -> None:
        """Release it."""


@contextmanager
def closed_on_error(transport: Closable) -> Iterator[None]:
    """What goes wrong while a device is opened closes its transport: nobody else has it yet."""
    try:
        yield
    except BaseException:
        transport.close()
        raise
