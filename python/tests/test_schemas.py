"""The JSON of the verbs is what docs/schemas describes."""

import json
import os
import shutil
import subprocess

import jsonschema
import pytest
from conftest import ROOT
from schema_cases import CASES, RESULTS, SWEEPS, prepare

FOLDER = ROOT / "docs" / "schemas"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schemas")
    prepare(folder)
    return folder


def schema_of(name):
    return json.loads((FOLDER / f"{name.removeprefix('mopsim.').replace('/', '-')}.schema.json").read_text())


@pytest.mark.parametrize("name, arguments", CASES, ids=lambda value: value if isinstance(value, str) else " ".join(value))
def test_output_is_described(cli, folder, name, arguments):
    done = cli(*[argument.format(tmp=folder) for argument in arguments], "--format", "json", "--quiet")
    # 1: the replay left messages, or the traces differ. The document is there all the same.
    assert done.returncode in (0, 1), done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == name
    jsonschema.validate(document, schema_of(name), cls=jsonschema.Draft202012Validator)


# The lines of results files, which no verb prints.
LINES = ["mopsim.results/2", "mopsim.results-record/2"]
STUDY_PACKETS = "mopsim.results-packets/1"
PACKET_LINES = ["mopsim.packet-results/1", "mopsim.packet-point/1"]


def check_lines(names, header, records):
    for name, documents in zip(names, [[header], records]):
        for document in documents:
            jsonschema.validate(document, schema_of(name), cls=jsonschema.Draft202012Validator)


@pytest.mark.parametrize("study, arguments", RESULTS, ids=lambda value: value if isinstance(value, str) else " ".join(value))
def test_results_files_are_described(cli, folder, study, arguments):
    file = folder / f"{study}{len(arguments)}.jsonl"
    done = cli("compare", str(folder / f"{study}.toml"), *arguments, "--results", str(file), "--quiet")
    assert done.returncode == 0, done.stderr
    header, *lines = map(json.loads, file.read_text().splitlines())
    records = [line for line in lines if "cell" in line]
    assert header["schema"] == LINES[0] and len(records) == header["cells"]
    check_lines(LINES, header, records)
    settings = [line for line in lines if "packets" in line]
    points = [line for line in lines if "series" in line]
    has_table = "[packets]" in (folder / f"{study}.toml").read_text()
    assert len(records) + len(settings) + len(points) == len(lines) and len(settings) == has_table == bool(points)
    for document in settings:
        check_lines([STUDY_PACKETS, PACKET_LINES[1]], document, points)


@pytest.mark.parametrize("arguments", SWEEPS, ids=" ".join)
def test_results_files_of_packets_are_described(cli, folder, arguments):
    file = folder / f"packets{len(arguments)}.jsonl"
    done = cli("packets", *arguments, "--results", str(file), "--quiet")
    assert done.returncode == 0, done.stderr
    header, *records = map(json.loads, file.read_text().splitlines())
    assert header["schema"] == PACKET_LINES[0] and {record["run"] for record in records} == {"curve", "full_load", "search"}
    check_lines(PACKET_LINES, header, records)


EMULATE = [f"mopsim.emulate-{name}/1" for name in ("up", "down", "counters", "validate")]


def can_emulate():
    """True if networks can be built here: root, iproute2, Open MPI 4 and its compiler."""
    probe = f"mopsimschema{os.getpid()}"
    if not all(map(shutil.which, ("ip", "tc", "mpirun", "mpicc"))) or "(Open MPI) 4." not in output("mpirun", "--version"):
        return False
    added = subprocess.run(["ip", "netns", "add", probe], capture_output=True).returncode == 0
    subprocess.run(["ip", "netns", "del", probe], capture_output=True)
    return added


def output(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout


@pytest.mark.skipif(not can_emulate(), reason="building networks takes root, iproute2 and Open MPI 4")
def test_emulated_networks_are_described(cli, tmp_path):
    kernels, prefix = tmp_path / "kernels", f"y{os.getpid()}"
    source = ROOT / "tests" / "emulate" / "kernels.c"
    subprocess.run(["mpicc", "-O2", "-o", kernels, source, "-lm"], check=True)
    program = ["--", "mpirun", "-n", "4", str(kernels), "gather", "1", "2000", "0"]

    def document(name, *arguments, command=()):
        done = cli("emulate", *arguments, "--prefix", prefix, "--format", "json", "--quiet", *command)
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        assert document["schema"] == name
        jsonschema.validate(document, schema_of(name), cls=jsonschema.Draft202012Validator)

    up, down, counters, validate = EMULATE
    try:
        document(up, "up", "imase-itoh:n=4,d=2")
        document(counters, "counters")
        cli("workload", "stencil", "--ranks", "4", "--parameter", "points=5", "--output", str(tmp_path / "s.ti"))
        document(counters, "counters", str(tmp_path / "s.ti"))
        document(down, "down")
        document(validate, "validate", "ring:4", "star:4", "--repetitions", "2", "--pause", "0", command=program)
        document(validate, "validate", "ring:4", "--repetitions", "1", "--pause", "0", command=program)
    finally:
        cli("emulate", "down", "--prefix", prefix, "--quiet")


def parts(schema):
    """All schemas in a schema."""
    yield schema
    for part in [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]:
        if isinstance(part, dict):
            yield from parts(part)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_every_key_is_described(path):
    schema = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["title"] in {name for name, _ in CASES} | {*LINES, *PACKET_LINES, STUDY_PACKETS, *EMULATE}
    for part in parts(schema):
        for name, described in part.get("properties", {}).items():
            assert described.get("description"), name
        # A key that is not described makes a document wrong.
        assert "properties" not in part or part["additionalProperties"] is False


def test_a_wrong_document_is_refused():
    schema = schema_of("mopsim.replay/2")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"schema": "mopsim.replay/2"}, schema)


def test_the_page_lists_them():
    page = (FOLDER / "README.md").read_text()
    assert all(path.name in page for path in FOLDER.glob("*.json"))
