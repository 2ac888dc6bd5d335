"""Workloads that are written in Python."""

import mopsim
import pytest
from mopsim.actions import (
    allgather,
    allreduce,
    alltoall,
    barrier,
    bcast,
    compute,
    gather,
    irecv,
    isend,
    recv,
    reduce,
    scatter,
    send,
    sendrecv,
    sleep,
    wait,
    waitall,
)


def test_every_action_is_one_of_the_format():
    def program(rank, size):
        other = 1 - rank
        yield compute(1e6)
        yield sleep(1e-6)
        yield from ([send(1, 100)], [recv(0, 100)])[rank]
        yield from ([isend(1, 50, tag=3), wait(0, 1, tag=3)], [irecv(0, 50, tag=3), wait(0, 1, tag=3)])[rank]
        yield irecv(other, 10)
        yield isend(other, 10)
        yield waitall()
        yield sendrecv(other, 64, other, 64)
        yield barrier()
        yield bcast(8)
        yield reduce(8, 1.0, root=1)
        yield allreduce(8, 1.0)
        yield alltoall(16)
        yield allgather(16)
        yield gather(16, root=1)
        yield scatter(16, root=1)

    trace = mopsim.Trace.from_program(program, ranks=2)
    assert trace.check().rows == []
    assert mopsim.replay(trace, "ring:2").seconds > 0
    # An all-to-all of 16 bytes is one of 16 bytes from each to each.
    assert {row["bytes"] for row in trace.messages()} == {100 + 50 + 10 + 64, 10 + 64}


def test_a_trace_of_python_is_the_trace_of_the_file(tmp_path):
    lines = [["compute 1e6", "send 1 0 1000 6"], ["recv 0 0 1000 6", "allreduce 8 0 6"]]
    lines[0].append("allreduce 8 0 6")
    own = mopsim.Trace.from_actions(lines, name="t")
    file = tmp_path / "t.ti"
    file.write_text("".join(f"{rank} {line}\n" for rank, actions in enumerate(lines) for line in actions))
    assert mopsim.replay(own, "ring:2").report == mopsim.replay(file, "ring:2").report


def test_operations_make_mops():
    trace = mopsim.Trace.from_actions([[compute(1e9)]], operations=2e9, title="one rank")
    result = mopsim.replay(trace, "ring:2", host_speed="1 Gflop/s")
    assert (result.seconds, result.mops) == (1.0, 2000.0)


def test_generators_of_a_million_actions_are_read_as_they_come():
    def program(rank, size):
        for _ in range(250_000):
            yield ("compute", 1000)

    trace = mopsim.Trace.from_program(program, ranks=4)
    assert trace.actions == 1_000_000


@pytest.mark.parametrize(
    "ranks, what",
    [
        ([["send 7 0 10"], ["recv 0 0 10"]], "rank 0, action 0"),
        ([["init"], ["init", "compute", "finalize"]], "rank 1, action 1"),
        ([["init"], ["sned 0 0 10"]], "rank 1, action 0"),
        ([[("compute", -1)]], "rank 0, action 0"),
        ([[("send", 0, 0, 2**40)]], "rank 0, action 0"),
    ],
)
def test_mistakes_have_a_rank_and_an_action(ranks, what):
    with pytest.raises(mopsim.InputError) as caught:
        mopsim.Trace.from_actions(ranks)
    text = str(caught.value)
    assert what in text and " help: " in text, text


def test_more_mistakes():
    with pytest.raises(mopsim.InputError, match="empty"):
        mopsim.Trace.from_actions([])
    with pytest.raises(ValueError, match="line break"):
        mopsim.Trace.from_actions([["init\n1 init"]])
    with pytest.raises(TypeError, match="one text"):
        mopsim.Trace.from_actions(["init"])
    with pytest.raises(TypeError):
        mopsim.Trace.from_actions(3)


def test_an_exception_of_the_program_is_that_of_the_call():
    def program(rank, size):
        yield compute(1)
        raise ZeroDivisionError(f"of rank {rank}")

    with pytest.raises(ZeroDivisionError, match="of rank 0"):
        mopsim.Trace.from_program(program, ranks=2)


def test_a_rank_that_does_nothing():
    trace = mopsim.Trace.from_actions([[compute(1)], []])
    assert trace.ranks == 2


@pytest.mark.parametrize("name", ["t.ti", "t.ti.zst", "t.mtrace", "t.ti.gz"])
def test_save_and_read(tmp_path, traces, name):
    trace = mopsim.Trace(traces / "is.A.64.ti.zst")
    trace.save(tmp_path / name)
    again = mopsim.Trace(tmp_path / name)
    assert again.info()["calls"] == trace.info()["calls"]
    # Mop/s is of the side file.
    assert again.operations == trace.operations is not None
    # Those of a trace that is replaced go with it.
    if name.endswith(".ti"):
        mopsim.Trace.from_actions([["compute 1"]]).save(tmp_path / name)
        assert mopsim.Trace(tmp_path / name).operations is None
        trace.save(tmp_path / name)
    assert mopsim.replay(again, "torus:8x8").seconds == mopsim.replay(trace, "torus:8x8").seconds


def test_the_matrix_of_messages(traces):
    trace = mopsim.Trace(traces / "lu.A.64.it10.ti.zst")
    matrix = trace.matrix()
    assert matrix.shape == (64, 64)
    assert int(matrix.sum()) == sum(row["bytes"] for row in trace.messages())


def test_graphs_are_replayed_as_graphs(cli, root):
    schedule = root / "docs" / "schedules" / "rings.goal"
    trace = mopsim.Trace(schedule)
    result = mopsim.replay(trace, "ring:8")
    assert result.report == cli.json("replay", schedule, "--topology", "ring:8")
    assert trace.info()["ranks"] == trace.ranks
