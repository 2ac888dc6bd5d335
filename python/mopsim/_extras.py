"""Packages that only some methods need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Turn a missing package into an error that names the extra of mopsim that installs it.

    >>> with needed("pandas"):
    ...     import package_that_is_not_there
    Traceback (most recent call last):
        ...
    ImportError: package_that_is_not_there is not installed; install it with pip install "mopsim[pandas]"
    """
    try:
        yield
    except ModuleNotFoundError as error:
        message = f'{error.name} is not installed; install it with pip install "mopsim[{extra}]"'
        raise ImportError(message, name=error.name) from error
