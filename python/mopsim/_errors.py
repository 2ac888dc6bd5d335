"""Exceptions, with the text that the command line prints."""

from __future__ import annotations


class Error(Exception):
    """Any failure of mopsim. Its text is that of the command line: the place, the rule, and a line with the remedy.

    Attributes
    ----------
    code : int
        The exit code that the command line has for it.
    """

    code: int = 2


class InputError(Error, ValueError):
    """Bad arguments or bad input (exit code 2)."""

    #: Line of a generated trace that is wrong, from 1.
    line: int | None = None


class ReplayError(Error):
    """The replay itself failed: a deadlock, a mismatch of messages (exit code 1)."""

    code = 1


class FileError(Error, OSError):
    """Reading or writing failed (exit code 3)."""

    code = 3


class MopsimWarning(UserWarning):
    """Something that the command line reports as a warning."""


def of_code(code: int, text: str) -> Error:
    """Return the exception for an exit code."""
    return {1: ReplayError, 3: FileError}.get(code, InputError)(text)
