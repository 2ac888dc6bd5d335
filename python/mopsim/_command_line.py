"""The command line: ``mopsim`` and ``python -m mopsim``."""

from __future__ import annotations

import os
import signal
import sys
import sysconfig

from . import _mopsim


def _program() -> str | None:
    """Return the path by which job scripts call the command line again."""
    name = "mopsim.exe" if os.name == "nt" else "mopsim"
    for path in (sys.argv[0], os.path.join(sysconfig.get_path("scripts"), name)):
        if os.path.basename(path) == name and os.access(path, os.X_OK):
            return os.path.abspath(path)
    return None


def main() -> None:
    """Run the command line with the arguments of the process, and exit with its code."""
    # The interpreter only notes a Ctrl-C and waits for Python code to run again, so that a replay would go on to its
    # end. A process that was started with the signal ignored keeps that.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_mopsim.command_line(_program(), sys.argv[1:]))
