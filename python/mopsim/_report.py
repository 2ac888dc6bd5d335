"""What results have in common: a report as a dict, and in the formats of the command line."""

from __future__ import annotations

import json
from typing import Any, Generic, Protocol, TypeVar


class _Native(Protocol):
    """A result of the extension module."""

    @property
    def notes(self) -> list[str]: ...

    @property
    def unmatched(self) -> bool: ...

    def render(self, name: str) -> str: ...


NativeT = TypeVar("NativeT", bound=_Native)


class Report(Generic[NativeT]):
    """The report of a result.

    ``report`` is the document that the command line prints as JSON, with the same numbers to the last bit.
    """

    def __init__(self, native: NativeT) -> None:
        self._native = native
        self._json = native.render("json")
        #: The report as a dict: times in seconds, sizes in bytes.
        self.report: dict[str, Any] = json.loads(self._json)

    @property
    def unmatched(self) -> bool:
        """``True`` if messages were sent that no rank received; the trace is not that of a correct program."""
        return self._native.unmatched

    @property
    def notes(self) -> list[str]:
        """Notes of the report."""
        return list(self._native.notes)

    def json(self) -> str:
        """Return the report as JSON: the bytes that the command line prints."""
        return self._json

    def csv(self) -> str:
        """Return the report as CSV: the bytes that the command line prints."""
        return self._native.render("csv")

    def markdown(self) -> str:
        """Return the report as Markdown."""
        return self._native.render("markdown")

    def __str__(self) -> str:
        return self._native.render("text")
