"""Commands whose JSON output covers what each schema describes: the name of the schema, and the arguments."""

import pathlib

TRACE = "traces/is.A.64.ti.zst"

STUDY = """
title = "All parts"
baseline = "random"
repetitions = 2
mappings = ["one-each", "random"]
routings = ["balanced", "ecmp"]

[[platforms]]
name = "slow"
parameters = { link_bandwidth = "50 Gbit/s" }

[[platforms]]
name = "fast"

[[networks]]
name = "random"
topology = "random:n=16,d=4"

[[networks]]
name = "torus"
topology = "torus:4x4"

[[workloads]]
workload = "npb/is"
class = "S"
ranks = 16

[budget]
prices = "example.toml"
dollars = 100_000

[sensitivity]
mappings = ["bisection"]
models = ["ideal"]

[packets]
load = "0.1,0.9"
warmup = 100
measure = 300
"""

PLAIN = """
title = "Plain"
[[networks]]
topology = "torus:4x4"
[[networks]]
topology = "ring:16"
[[workloads]]
workload = "npb/is"
class = "S"
ranks = 16
"""

JOBS = """
title = "Jobs"
[[networks]]
topology = "torus:4x4"
[[networks]]
topology = "ring:16"
[[jobs]]
name = "a"
workload = "npb/is"
class = "S"
ranks = 4
[[jobs]]
name = "b"
workload = "npb/mg"
class = "S"
ranks = 4
[[jobs]]
traffic = "uniform"
load = 0.2
"""

LONG = """
title = "Long"
[[networks]]
topology = "ring:8"
[[networks]]
topology = "random:n=8,d=3"
[[workloads]]
workload = "himeno"
class = "XS"
ranks = 8
"""


# Times that are extrapolated, whose intervals leave conclusions open.
CLOSE = """
title = "Close"
routings = ["ecmp", "ugal"]
mappings = ["one-each", "bisection"]
models = ["ordered", "packet"]
[[networks]]
topology = "torus:4x4"
[[networks]]
topology = "hypercube:4"
[[networks]]
topology = "random:n=16,d=4,seed=1"
[[networks]]
name = "twin"
topology = "torus:4x4"
parameters = { link_latency = "3 ns" }
[[workloads]]
workload = "npb/bt"
class = "S"
ranks = 16
iterations = 60
[sensitivity]
mappings = []
host_links = []
routings = ["ecmp"]
[budget]
dollars = 100_000
"""

FAILURES = PLAIN.replace("ring:16", "hypercube:4").replace("[[networks]]", 'failures = { cables = "4 %", seeds = 2 }\n[[networks]]', 1)

# Every kind of setting, with prices: the offers have a key for each.
SETTINGS = (
    PLAIN.replace("[[networks]]", 'models = ["ordered", "ideal"]\ncollectives = ["mvapich2", "ompi"]\n[[networks]]', 1)
    + '[budget]\nprices = "example.toml"\ndollars = 100_000\n'
)

# The models of damaged networks.
DAMAGED = FAILURES.replace("[[networks]]", 'models = ["ordered", "ideal"]\n[[networks]]', 1)

# Jobs under several models, with prices.
PRICED_JOBS = (
    JOBS.replace("[[networks]]", 'models = ["ordered", "ideal"]\n[[networks]]', 1)
    + '[budget]\nprices = "example.toml"\ndollars = 100_000\n'
)

PACKETS = PLAIN + '[packets]\nload = "0.1,0.9"\nwarmup = 200\nmeasure = 300\nseeds = 2\n'

CASES = [
    ("mopsim.replay/2", ["replay", TRACE, "--topology", "torus:8x8"]),
    ("mopsim.replay/2", ["replay", TRACE, "--topology", "random:n=64,d=6", "--explain", "--timing"]),
    ("mopsim.replay/2", ["replay", TRACE, "--topology", "torus:8x8", "--model", "packet", "--explain"]),
    ("mopsim.replay/2", ["replay", TRACE, "{tmp}/m.ti", "--topology", "torus:16x8", "--collective", "alltoall=bruck"]),
    ("mopsim.replay/2", ["replay", "traces/himeno.S.64.it30.ti.zst", "--topology", "torus:8x8", "--until-steady"]),
    ("mopsim.replay/2", ["replay", "{tmp}/m.ti", "--platform", "{tmp}/p.xml"]),
    ("mopsim.replay/2", ["replay", "docs/schedules/rings.goal", "--topology", "ring:8", "--model", "loggops"]),
    ("mopsim.replay/2", ["replay", "{tmp}/unmatched.ti", "--topology", "ring:2", "--model", "{tmp}/model.toml"]),
    ("mopsim.compare/2", ["compare", "{tmp}/all.toml", "--perturb", "10%", "--samples", "2"]),
    ("mopsim.compare/2", ["compare", "{tmp}/plain.toml", "--cross-check"]),
    ("mopsim.compare/2", ["compare", "{tmp}/plain.toml", "--no-explain"]),
    ("mopsim.compare/2", ["compare", "{tmp}/plain.toml", "--check-iterations", "2"]),
    ("mopsim.compare/2", ["compare", "{tmp}/plain.toml", "--perturb", "5%,message=20%", "--samples", "2"]),
    ("mopsim.compare/2", ["compare", "{tmp}/failures.toml"]),
    ("mopsim.compare/2", ["compare", "{tmp}/damaged.toml"]),
    ("mopsim.compare/2", ["compare", "{tmp}/settings.toml"]),
    ("mopsim.compare/2", ["compare", "{tmp}/settings.toml", "--sensitivity", "--perturb", "10%", "--samples", "2"]),
    ("mopsim.compare/2", ["compare", "{tmp}/priced.toml", "--cross-check"]),
    ("mopsim.compare/2", ["compare", "{tmp}/priced-jobs.toml"]),
    ("mopsim.compare/2", ["compare", "{tmp}/jobs.toml"]),
    ("mopsim.compare/2", ["compare", "{tmp}/jobs.toml", "--model", "packet"]),
    ("mopsim.compare/2", ["compare", "{tmp}/long.toml", "--until-steady=2%"]),
    ("mopsim.compare/2", ["compare", "{tmp}/close.toml", "--until-steady=10%", "--perturb", "5%", "--samples", "2"]),
    ("mopsim.calibrate/1", ["calibrate", "tests/data/calibrate/osu_latency.txt", "tests/data/calibrate/osu_bw.txt"]),
    ("mopsim.calibrate-host/1", ["calibrate", "--host", "tests/data/calibrate/host.toml"]),
    (
        "mopsim.calibrate-host/1",
        ["calibrate", "--host", "tests/data/calibrate/host.toml", "--relative-to", "tests/data/calibrate/host.toml"],
    ),
    ("mopsim.topology/2", ["topology", "torus:8x8", "--full", "--route", "0", "36"]),
    ("mopsim.topology/2", ["topology", "random:n=64,d=6", "--aspl-samples", "8", "--prices", "data/prices/example.toml"]),
    ("mopsim.topology/2", ["topology", "imase-itoh:n=64,d=6"]),
    ("mopsim.topology/2", ["topology", "fat-tree:4"]),
    ("mopsim.topology/2", ["topology", "{tmp}/twice.txt"]),
    ("mopsim.topology/2", ["topology", "torus:4x4", "random:n=16,d=4", "--full", "--route", "0", "5"]),
    ("mopsim.topology-fit/2", ["topology", "--fit", "hosts=4096,radix=36"]),
    ("mopsim.throughput/2", ["throughput", "torus:4x4", "random:n=16,d=4", "--pattern", "transpose", "--pattern", "uniform"]),
    ("mopsim.throughput/2", ["throughput", "torus:4x4", "--pattern", "worst-case", "--bound", "flow"]),
    ("mopsim.packets/2", ["packets", "torus:4x4", "--load", "0.1:0.3:0.1", "--warmup", "500", "--measure", "1000"]),
    ("mopsim.packets/2", ["packets", "torus:4x4", "mesh:4x4", "--load", "0.1,0.9", "--seeds", "2", "--warmup", "200", "--measure", "300"]),
    ("mopsim.packets/2", ["packets", "rails:base=ring:4,planes=2", "--load", "0.1", "--rail", "destination", "--no-saturation", "--measure", "300"]),
    ("mopsim.packets/2", ["packets", "torus:4x4", "--mode", "throughput", "--load", "0.9", "--no-saturation", "--warmup", "200", "--measure", "300"]),
    ("mopsim.compare/2", ["compare", "{tmp}/packets.toml", "--no-explain"]),
    ("mopsim.packet-list/1", ["packets", "torus:4x4", "--packets", "{tmp}/list.txt"]),
    ("mopsim.packet-list/1", ["packets", "torus:4x4", "--packets", "{tmp}/list.txt", "--routing", "deflection"]),
    ("mopsim.collectives/1", ["collectives", "allreduce", "--ranks", "64", "--size", "4096"]),
    ("mopsim.collectives/1", ["collectives", "alltoall", "bcast", "--ranks", "60", "--size", "100"]),
    ("mopsim.model/1", ["model"]),
    ("mopsim.doctor/1", ["doctor"]),
    ("mopsim.trace-info/1", ["trace", "info", TRACE]),
    ("mopsim.trace-info/1", ["trace", "info", "{tmp}/m.ti"]),
    ("mopsim.trace-check/1", ["trace", "check", TRACE]),
    ("mopsim.trace-check/1", ["trace", "check", "{tmp}/unmatched.ti"]),
    ("mopsim.trace-diff/1", ["trace", "diff", TRACE, "{tmp}/m.ti"]),
    ("mopsim.workload/1", ["workload"]),
    ("mopsim.workload/1", ["workload", "npb/is", "--parameters"]),
    ("mopsim.workload/1", ["workload", "npb/mg", "--ranks", "4", "--class", "S", "-o", "{tmp}/w.ti", "--force"]),
    ("mopsim.export/1", ["export", "ring:4", "--to", "edges", "-o", "{tmp}/ring.edges", "--force"]),
    ("mopsim.export/1", ["export", "ring:4", "--to", "simgrid", "-o", "{tmp}/ring.xml", "--force"]),
    ("mopsim.design-equality/1", ["design", "equality", "--n", "16", "--degree", "4", "--generations", "2"]),
    ("mopsim.design-switches/1", ["design", "switches", "--nodes", "64", "--ports", "8"]),
    ("mopsim.design-dsnf/1", ["design", "dsnf", "--from", "n=24,p=3", "--to", "n=160,p=5"]),
    ("mopsim.design-search/2", ["design", "search", "--hosts", "16", "--radix", "8", "--workloads", "{tmp}/plain.toml", "--replays", "3"]),
]


# Studies whose results files are described, and further arguments.
RESULTS = [
    ("all", ["--perturb", "10%", "--samples", "2"]),
    ("jobs", []),
    ("jobs", ["--model", "packet"]),
    ("long", ["--until-steady=2%"]),
    ("plain", ["--cross-check"]),
    ("packets", ["--no-explain"]),
]


# Sweeps of packets whose results files are described.
SWEEPS = [
    ["torus:4x4", "mesh:4x4", "--load", "0.1,0.9", "--seeds", "2", "--warmup", "100", "--measure", "200"],
    ["kautz:d=3,k=3", "--routing", "deflection", "--load", "0.1", "--cable-delay", "5 ns", "--warmup", "100", "--measure", "200"],
]


def prepare(folder: pathlib.Path) -> None:
    """Write the files that the commands read."""
    (folder / "list.txt").write_text("0 5 0\n3 1 4\n")
    studies = {"all": STUDY, "plain": PLAIN, "jobs": JOBS, "failures": FAILURES, "long": LONG, "close": CLOSE, "packets": PACKETS}
    studies.update({"settings": SETTINGS, "damaged": DAMAGED, "priced-jobs": PRICED_JOBS})
    studies["priced"] = PLAIN + '[budget]\nprices = "example.toml"\ndollars = 100_000\n'
    for name, text in studies.items():
        (folder / f"{name}.toml").write_text(text)
    root = pathlib.Path(__file__).resolve().parents[2]
    (folder / "example.toml").write_text((root / "data" / "prices" / "example.toml").read_text())
    (folder / "twice.txt").write_text("0 1\n1 2\n2 0\n1 0\n")
    (folder / "m.ti").write_text("0 compute 1e6\n0 send 1 0 100 6\n0 allreduce 8 0 6\n1 recv 0 0 100 6\n1 allreduce 8 0 6\n")
    (folder / "unmatched.ti").write_text("0 send 1 0 100 6\n1 compute 1e6\n")
    (folder / "model.toml").write_text('network_model = "smpi"\nbandwidth_factor = "0.9"\n')
    (folder / "p.xml").write_text(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        '<platform version="4.1">\n<cluster id="c" prefix="h" suffix="" radical="0-1" speed="1Gf" bw="1GBps" lat="1us"/>\n'
        "</platform>\n"
    )
