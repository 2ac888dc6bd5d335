"""Results are those of the command line, to the last bit."""

import csv
import io

import mopsim
import pytest

# Options in Python, and the flags that they are.
CASES = [
    ("is.A.64", "torus:8x8", {}, []),
    (
        "cg.A.64",
        "random:n=64,d=6",
        {"link_bandwidth": "200 Gbit/s", "switch_delay": 9e-8, "seed": 3, "explain": True},
        ["--link-bandwidth", "200 Gbit/s", "--switch-delay", "90 ns", "--seed", "3", "--explain"],
    ),
    (
        "mg.A.64",
        "torus:4x4x4",
        {"mapping": "bisection", "collectives": "ompi", "duplex": "shared", "crosstraffic": False},
        ["--mapping", "bisection", "--collectives", "ompi", "--duplex", "shared", "--crosstraffic", "off"],
    ),
    ("is.A.64", "fat-tree:8", {"model": "packet"}, ["--model", "packet"]),
    ("is.A.64", "torus:8x8", {"compat": "simgrid"}, ["--compat", "simgrid"]),
    (
        "ft.A.64",
        "hypercube:6",
        {"collective": {"alltoall": "bruck"}, "model": "ideal", "smp_setup": False},
        ["--collective", "alltoall=bruck", "--model", "ideal", "--smp-setup", "off"],
    ),
]


@pytest.mark.parametrize("trace, network, options, flags", CASES)
def test_replays(cli, traces, trace, network, options, flags):
    path = traces / f"{trace}.ti.zst"
    result = mopsim.replay(path, network, **options)
    assert result.report == cli.json("replay", path, "--topology", network, *flags)
    assert result.seconds == max(row["end_seconds"] for row in result.rank_table())


def test_objects_ignore_the_site(cli, traces, monkeypatch):
    path = traces / "is.A.64.ti.zst"
    alone = mopsim.replay(path, "torus:8x8").report
    monkeypatch.setenv("MOPSIM_LINK_BANDWIDTH", "50 Gbit/s")
    assert mopsim.replay(path, "torus:8x8").report == alone
    # The command line reads it, and says so.
    report = cli.json("replay", path, "--topology", "torus:8x8")
    assert report["site_defaults"] == [
        {"key": "link_bandwidth", "value": "50 Gbit/s", "source": "MOPSIM_LINK_BANDWIDTH"}
    ]
    assert report["simulated_seconds"] > alone["simulated_seconds"]


def test_replays_have_the_bytes_of_every_format(cli, traces):
    path = traces / "is.A.64.ti.zst"
    result = mopsim.replay(path, "torus:8x8")
    for form, text in [("json", result.json()), ("csv", result.csv()), ("markdown", result.markdown())]:
        assert text == cli("replay", path, "--topology", "torus:8x8", "--format", form, "--quiet").stdout


def test_a_platform_file(cli, traces, tmp_path):
    path = traces / "is.A.64.ti.zst"
    file = tmp_path / "p.toml"
    file.write_text('topology = "torus:8x8"\n[parameters]\nlink_bandwidth = "50 Gbit/s"\n')
    assert mopsim.replay(path, file).report == cli.json("replay", path, "--platform", file)


def test_several_jobs(cli, traces):
    jobs = [traces / "is.A.64.ti.zst"] * 2
    result = mopsim.replay(jobs, "torus:16x8", allocation="random", seed=2)
    expected = cli.json("replay", *jobs, "--topology", "torus:16x8", "--allocation", "random", "--seed", "2")
    assert result.report == expected
    assert [job["job"] for job in expected["jobs"]] == ["is.A.64 (1)", "is.A.64 (2)"]


def test_topologies(cli):
    for spec in ["torus:8x8", "imase-itoh:n=64,d=6", "fat-tree:4", "dragonfly:a=4,p=2,h=2"]:
        assert mopsim.Topology(spec).metrics(full=True) == cli.json("topology", spec, "--full")


def test_information_on_traces(cli, traces):
    path = traces / "lu.A.64.it10.ti.zst"
    trace = mopsim.Trace(path)
    assert trace.info(host_speed="10 Gflop/s") == cli.json("trace", "info", path, "--host-speed", "10 Gflop/s")
    assert trace.check().rows == cli.json("trace", "check", path)["findings"]


STUDY = """
title = "Small"
baseline = "random"
repetitions = 2
[[networks]]
name = "random"
topology = "random:n=16,d=4"
[[networks]]
name = "torus"
topology = "torus:4x4"
parameters = { duplex = "shared" }
[[workloads]]
workload = "npb/is"
class = "S"
ranks = 16
[[workloads]]
workload = "npb/mg"
class = "S"
ranks = 16
weight = 2
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_studies(cli, tmp_path, threads):
    file = tmp_path / "s.toml"
    file.write_text(STUDY)
    result = mopsim.Study(file, perturb="10%", samples=3, link_bandwidth="50 Gbit/s").run(threads=threads)
    flags = [file, "--perturb", "10%", "--samples", "3", "--link-bandwidth", "50 Gbit/s"]
    assert result.report == cli.json("compare", *flags)
    assert result.csv() == cli("compare", *flags, "--format", "csv", "--quiet").stdout
    assert result.markdown() == cli("compare", *flags, "--format", "markdown", "--quiet").stdout


def test_the_text_of_a_study_is_a_study(cli, tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(STUDY)
    assert mopsim.Study(STUDY).run().report == cli.json("compare", file)


def test_the_table_is_the_csv_of_the_command_line():
    result = mopsim.Study(STUDY).run()
    lines = list(csv.DictReader(io.StringIO(result.csv())))
    assert result.cells.columns == list(lines[0])
    assert len(lines) == len(result.cells) == 2 * (2 + 1)
    for line, row in zip(lines, result.cells):
        for name, value in row.items():
            if value is None:
                assert line[name] == "", name
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                assert float(line[name]) == value, name
            else:
                assert line[name] == value, name


def test_parts_make_the_study_that_a_file_makes(cli, tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(STUDY.replace("repetitions = 2\n", "").replace("weight = 2\n", ""))
    traces = [mopsim.Trace.generate(f"npb/{name}", 16, {"class": "S"}) for name in ("is", "mg")]
    networks = {"random": "random:n=16,d=4", "torus": mopsim.Platform("torus:4x4", duplex="shared")}
    own = mopsim.Study.of(traces, networks, title="Small", baseline="random").run()
    assert own.report == cli.json("compare", file)


def test_control_characters_are_shown_as_the_command_line_shows_them(cli, tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(STUDY.replace('"Small"', '"Sm\\u001b[31mall \\u202e"').replace("repetitions = 2\n", ""))
    result = mopsim.Study(file).run()
    assert str(result) == cli("compare", file, "--quiet").stdout.replace("\r\n", "\n")
    assert "\x1b" not in str(result) and "\u202e" not in str(result)
    assert "\x1b" not in result.html()
