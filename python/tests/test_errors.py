"""Errors are exceptions with the text of the command line; long calls end with Ctrl-C, and others run beside them."""

import os
import signal
import threading
import time
import warnings

import mopsim
import pytest
from mopsim import Platform, Study, Trace, compare, replay
from mopsim.actions import compute, recv, send


def text_of(cli, *arguments):
    done = cli(*arguments, "--quiet")
    assert done.returncode != 0
    return done.stderr.removeprefix("error: ").rstrip("\n"), done.returncode


def test_texts_and_codes(cli, tmp_path):
    deadlock = tmp_path / "t.ti"
    deadlock.write_text("0 recv 1 0 8 6\n1 recv 0 0 8 6\n")
    wrong = tmp_path / "wrong.ti"
    wrong.write_text("0 init\n0 sned 1 0 10\n")
    study = tmp_path / "s.toml"
    study.write_text('[[networks]]\ntopologie = "torus:4x4"\n')
    cases = [
        (mopsim.InputError, lambda: mopsim.Topology("tours:8x8"), ["topology", "tours:8x8"]),
        (mopsim.InputError, lambda: mopsim.Topology("torus:0x8"), ["topology", "torus:0x8"]),
        (mopsim.ReplayError, lambda: mopsim.replay(deadlock, "ring:2"), ["replay", deadlock, "--topology", "ring:2"]),
        (mopsim.InputError, lambda: mopsim.Trace(wrong), ["trace", "info", wrong]),
        (mopsim.FileError, lambda: mopsim.Trace(tmp_path / "none"), ["trace", "info", tmp_path / "none"]),
        (mopsim.InputError, lambda: mopsim.Study(study), ["compare", study]),
        (
            mopsim.InputError,
            lambda: mopsim.replay(deadlock, "ring:2", link_bandwidth="7 parsecs"),
            ["replay", deadlock, "--topology", "ring:2", "--link-bandwidth", "7 parsecs"],
        ),
        (
            mopsim.InputError,
            lambda: mopsim.replay(deadlock, "ring:2", model="smpy"),
            ["replay", deadlock, "--topology", "ring:2", "--model", "smpy"],
        ),
    ]
    for kind, call, arguments in cases:
        text, code = text_of(cli, *arguments)
        with pytest.raises(kind) as caught:
            call()
        assert (str(caught.value), caught.value.code) == (text, code)
        assert isinstance(caught.value, mopsim.Error)


def test_the_place_in_the_text_of_a_study():
    with pytest.raises(mopsim.InputError, match="study:2:1: unknown key `topologie`"):
        mopsim.Study('[[networks]]\ntopologie = "torus:4x4"\n')


def test_options_are_checked():
    with pytest.raises(mopsim.InputError, match="invalid value 'many' for '--cores"):
        mopsim.Platform("torus:4x4", cores="many")
    with pytest.raises(mopsim.InputError, match="unexpected argument '--link-bandwith'"):
        mopsim.Study("[[networks]]\n", link_bandwith="1 GB/s")
    with pytest.raises(TypeError, match=r"replay\(\) has no option 'link_bandwith'; did you mean 'link_bandwidth'"):
        mopsim.replay("t.ti", "torus:4x4", link_bandwith="1 GB/s")
    with pytest.raises(TypeError, match=r"replay\(\) has no option 'mappin'; did you mean 'mapping'"):
        mopsim.replay("t.ti", "torus:4x4", mappin="block")
    with pytest.raises(TypeError, match=r"compare\(\) has no option 'bselin'; did you mean 'baseline'"):
        mopsim.compare([], [], bselin="x")
    with pytest.raises(TypeError, match=r"Study.of\(\) has no option 'tittle'; did you mean 'title'"):
        mopsim.Study.of([], [], tittle="x")
    platform = mopsim.Platform("torus:4x4")
    with pytest.raises(TypeError, match="has these already"):
        mopsim.replay("t.ti", platform, link_bandwidth="1 GB/s")


def test_a_study_of_parts_is_checked(traces):
    trace = mopsim.Trace(traces / "is.A.64.ti.zst")
    with pytest.raises(mopsim.InputError, match="one network or more"):
        mopsim.Study.of([trace], [])
    with pytest.raises(ValueError, match="two networks are called"):
        mopsim.Study.of([trace], ["torus:8x8", "torus:8x8"])
    with pytest.raises(ValueError, match="two workloads are called"):
        mopsim.Study.of([trace, trace], ["torus:8x8"])
    with pytest.raises(ValueError, match="no network is called 'x'"):
        mopsim.Study.of([trace], ["torus:8x8"], baseline="x")


def test_messages_that_nobody_receives_are_a_warning():
    trace = mopsim.Trace.from_actions([["send 1 0 8"], ["init"]])
    with pytest.warns(mopsim.MopsimWarning, match="never received"):
        result = mopsim.replay(trace, "ring:2")
    assert result.unmatched
    with pytest.warns(mopsim.MopsimWarning, match="never received"):
        assert mopsim.compare([trace], ["ring:2"]).unmatched


def interrupt_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@pytest.fixture(scope="module")
def long_trace():
    return mopsim.Trace.generate("npb/lu", 64, {"class": "B", "iterations": 60})


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_stops_a_replay(long_trace, tmp_path):
    # Writing a file must not take the signal away from the interpreter.
    long_trace.save(tmp_path / "t.mtrace")
    timer = interrupt_after(0.5)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        mopsim.replay(long_trace, "torus:8x8", sharing="simgrid-full")
    timer.cancel()
    # It has ended, and does not go on beside the interpreter.
    assert time.monotonic() - begin < 4
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.2


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_stops_a_study_that_goes_on_later(long_trace, tmp_path):
    small = mopsim.Trace.generate("npb/is", 64, {"class": "S"})
    study = mopsim.Study.of([small, long_trace], {"torus": "torus:8x8"}, sharing="simgrid-full", explain=False)
    results = tmp_path / "r.jsonl"

    def interrupt(done, total):
        if done == 1:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        study.run(results=results, threads=1, progress=interrupt)
    # A line with the study, and one for the replay that ended.
    assert len(results.read_text().splitlines()) == 2
    with pytest.raises(mopsim.InputError, match="resume|exists|there"):
        study.run(results=results)


def test_a_results_file_is_continued(tmp_path):
    trace = mopsim.Trace.generate("npb/is", 16, {"class": "S"})
    study = mopsim.Study.of([trace], ["torus:4x4", "ring:16"])
    results = tmp_path / "r.jsonl"
    first = study.run(results=results)
    assert study.run(results=results, resume=True).report == first.report == study.run().report


def test_an_exception_of_the_progress_function_stops_the_run(long_trace):
    def fail(done, total):
        raise RuntimeError(f"{total} actions")

    with pytest.raises(RuntimeError, match="actions"):
        mopsim.replay(long_trace, "torus:8x8", progress=fail, sharing="simgrid-full")


def test_other_threads_run_beside_a_replay(long_trace):
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    mopsim.replay(long_trace, "torus:8x8")
    done.set()
    thread.join()
    longest = max(b - a for a, b in zip(ticks, ticks[1:]))
    # With the lock of the interpreter held, there would be none for the whole replay.
    assert len(ticks) > 10 and longest < 0.5


def test_progress(capsys, long_trace):
    calls = []
    mopsim.replay(long_trace, "torus:8x8", progress=lambda done, total: calls.append((done, total)))
    assert calls and all(total == long_trace.actions for _, total in calls)
    assert calls == sorted(calls)
    trace = mopsim.Trace.generate("npb/is", 16, {"class": "S"})
    calls.clear()
    mopsim.compare([trace], ["ring:16", "torus:4x4"], progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (2, 2)
    mopsim.compare([trace], ["ring:16", "torus:4x4"], progress=True)
    assert "2/2" in capsys.readouterr().err


def test_warnings_of_platforms():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mopsim.Platform("torus:4x4", link_bandwidth=100)
    assert any("torus" in str(warning.message) for warning in caught)
    assert all(warning.filename == __file__ for warning in caught), caught[0].filename


def test_comparisons_of_nothing_and_misplaced_options_are_refused():
    pair = Trace.from_actions([[compute(1e9), send(1, 10)], [recv(0, 10)]], name="pair")
    for wrong, error, text in [
        (lambda: compare((trace for trace in ()), ["ring:4"]), mopsim.InputError, "no workload"),
        (lambda: compare([pair], "ring:4"), TypeError, "pass a list"),
        (lambda: compare("pair.ti", ["ring:4"]), TypeError, "pass a list"),
        (lambda: compare([pair], ["ring:4"], link_bandwith=1), TypeError, "did you mean 'link_bandwidth'"),
        (lambda: compare([pair], [Platform("ring:4")], link_bandwidth="1 GB/s"), TypeError, "has these already"),
        (lambda: compare([pair], ["ring:4"], baseline="x"), mopsim.InputError, "no network is called"),
        (lambda: Study.of([pair], ["ring:4"]).run(resume=True), mopsim.InputError, "results"),
        (lambda: Trace.from_actions([[compute(1)]], operations=float("nan")), mopsim.InputError, "operations"),
    ]:
        with pytest.raises(error, match=text):
            wrong()
    with pytest.warns(mopsim.MopsimWarning, match="all networks but a") as caught:
        compare([pair], {"a": Platform("ring:4"), "b": "ring:4"}, link_bandwidth="1 GB/s")
    assert caught[0].filename == __file__


def test_numbers_of_numpy_are_numbers():
    numpy = pytest.importorskip("numpy")
    pair = Trace.from_actions([[compute(numpy.float64(1e9)), send(1, 10**6)], [recv(0, 10**6)]])
    options = {"link_bandwidth": 1e9, "crosstraffic": True}
    theirs = {"link_bandwidth": numpy.float64(1e9), "crosstraffic": numpy.True_}
    assert replay(pair, "ring:4", **options).seconds == replay(pair, "ring:4", **theirs).seconds
