"""The command line in the package: exit codes, signals, scripts that call it again."""

import html
import os
import pathlib
import signal
import subprocess
import sys
import sysconfig
import time

import mopsim
import pytest

SCRIPT = pathlib.Path(sysconfig.get_path("scripts")) / "mopsim"

LONG = """
title = "long"
[[networks]]
topology = "torus:8x8x8"
[[workloads]]
workload = "npb/lu"
class = "C"
ranks = 512
"""


def test_the_script_is_the_program():
    done = subprocess.run([SCRIPT, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"mopsim {mopsim.__version__}\n")


def test_exit_codes(cli, tmp_path):
    assert cli("topology", "torus:8x8").returncode == 0
    # A deadlock, a mistake, a missing file.
    deadlock = tmp_path / "t.ti"
    deadlock.write_text("0 recv 1 0 8 6\n1 recv 0 0 8 6\n")
    done = cli("replay", deadlock, "--topology", "ring:2")
    assert done.returncode == 1 and "deadlock" in done.stderr
    assert cli("topology", "tours:8x8").returncode == 2
    assert cli("topology", "--no-such-flag").returncode == 2
    assert cli("replay", tmp_path / "none.ti", "--topology", "torus:8x8").returncode == 3


def test_a_reader_that_goes_away_is_no_error(root):
    command = f"{SCRIPT} topology torus:8x8 random:n=64,d=6 --format json | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=root)
    assert done.stdout.splitlines()[-1] == "0" and done.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("number, code", [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, -signal.SIGTERM)])
def test_signals_end_a_replay(tmp_path, number, code):
    trace = tmp_path / "long.ti"
    mopsim.Trace.generate("npb/lu", 64, {"class": "B", "iterations": 40}).save(trace)
    command = [SCRIPT, "replay", trace, "--topology", "torus:8x8", "--sharing", "simgrid-full"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    begin = time.monotonic()
    process.send_signal(number)
    assert process.wait(timeout=10) == code
    assert time.monotonic() - begin < 2
    process.communicate()


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_ends_a_study_with_130(tmp_path):
    study = tmp_path / "s.toml"
    study.write_text(LONG)
    process = subprocess.Popen([SCRIPT, "compare", study], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=20)
    # Before the study is read, nothing listens, and the signal ends the process by itself.
    assert process.returncode in (130, -signal.SIGINT), error


def test_job_scripts_call_the_package(tmp_path, root):
    study = root / "studies" / "uni-vs-bi.toml"
    for program in ([SCRIPT], [sys.executable, "-m", "mopsim"]):
        folder = tmp_path / str(len(program))
        done = subprocess.run([*program, "compare", study, "--slurm", folder], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        script = (folder / "array.slurm").read_text()
        assert str(SCRIPT) in script and "compare" in script, script


def test_the_report_names_its_command(tmp_path, root):
    report = tmp_path / "r.html"
    study = tmp_path / "s.toml"
    study.write_text(LONG.replace('"C"', '"S"').replace("512", "8").replace("8x8x8", "4x4"))
    done = subprocess.run([SCRIPT, "compare", study, "--html", report, "--threads", "1"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"mopsim compare {study} --html {report}" in html.unescape(report.read_text())
