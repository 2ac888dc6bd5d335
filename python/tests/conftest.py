"""Paths, and the command line that results are compared with."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """Ctrl-C is that of a terminal, also where the tests were started with the signal ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def no_site():
    """The defaults of the user's site have no part in tests."""
    os.environ["MOPSIM_CONFIG"] = ""
    for key in ("LINK_BANDWIDTH", "LINK_LATENCY", "SWITCH_DELAY", "CABLE_DELAY", "HOST_LINK_BANDWIDTH", "HOST_LINK_LATENCY",
                "HOST_SPEED", "CORES", "DUPLEX", "MODEL", "COLLECTIVES", "PRICES", "MEMORY", "THREADS"):
        os.environ.pop(f"MOPSIM_{key}", None)


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def traces():
    return ROOT / "traces"


@pytest.fixture
def cli():
    """Runs the command line of the package; `json` parses its standard output."""

    def run(*arguments, **more):
        command = [sys.executable, "-m", "mopsim", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300, **more)

    def run_json(*arguments):
        done = run(*arguments, "--format", "json", "--quiet")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    run.json = run_json
    return run
