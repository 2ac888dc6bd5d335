"""Small studies for the report in the browser: one as written, and the same as a reader would change it."""
import json


def trace(size):
    """Eight ranks, each of which sends to one and receives from another."""
    lines = []
    for rank in range(8):
        to, source = (rank + 3) % 8, (rank + 5) % 8
        lines += [f"{rank} irecv {source} 0 {size} 6", f"{rank} send {to} 0 {size} 6", f"{rank} wait {source} {rank} 0",
                  f"{rank} compute 1e6", f"{rank} allreduce {max(size // 50, 10)} 10 0 6"]
    return "\n".join(lines) + "\n"


TRACES = {"long.ti": trace(100_000), "medium.ti": trace(20_000), "short.ti": trace(700)}

NETWORKS = [
    {"name": "ring", "topology": "ring:8"},
    {"name": "random", "topology": "random:n=8,d=3"},
    {"name": "mesh of all", "topology": "full_mesh:8"},
    {"name": "ring, shared", "topology": "ring:8", "parameters": {"duplex": "shared"}},
    {"name": "one-way", "topology": "random_directed:n=8,d=3,seed=2"},
]
WORKLOADS = [{"trace": name, "weight": weight} for name, weight in zip(TRACES, (3, 1, 1))]
# Everything that a report can have.
RICH = {"title": "A purchase", "baseline": "ring", "repetitions": 4, "networks": NETWORKS, "workloads": WORKLOADS,
        "budget": {"dollars": 9000}}
# No weights, no budget, nothing random.
PLAIN = {"title": "A comparison", "baseline": "ring", "networks": [n for n in NETWORKS if n["name"] not in ("random", "one-way")],
         "workloads": [{"trace": name} for name in TRACES]}
# Several settings, with prices of their own.
SETTINGS = {"title": "Settings", "baseline": "ring", "mappings": ["one-each", "random"],
            "platforms": [{"name": f"{rate}G", "parameters": {"link_bandwidth": f"{rate} Gbit/s"}} for rate in (100, 200)],
            "networks": [NETWORKS[0], NETWORKS[2], {**NETWORKS[3], "price": {"100G": 4000, "200G": 7000}}], "workloads": WORKLOADS,
            "budget": {"energy_price": 0.2, "years": 5, "total": 30000}}
# Two networks that are alike, and one for another price.
TWINS = {**PLAIN, "networks": [NETWORKS[0], NETWORKS[2], {**NETWORKS[2], "name": "another mesh"}, {**NETWORKS[2], "name": "a third", "price": 9500}],
         "budget": {"dollars": 90000}}
# Assumptions that are changed one at a time.
SENSITIVE = {**PLAIN, "networks": [{**NETWORKS[0], "routing": "ecmp"}, *PLAIN["networks"][1:]], "sensitivity": {}, "budget": {"dollars": 9000}}
# Times that are extrapolated, with intervals that leave several conclusions open, in two settings, with prices and assumptions.
EXTRAPOLATED = {"title": "Long runs", "baseline": "ring", "until_steady": "10%", "repetitions": 2, "mappings": ["one-each", "bisection"],
                "workloads": [{"workload": "npb/bt", "class": "S", "ranks": 16, "iterations": 100, "weight": 3}, {"workload": "stencil", "ranks": 16}],
                "networks": [{"name": "ring", "topology": "torus:4x4"}, {"name": "cube", "topology": "hypercube:4", "price": 9000},
                             {"name": "random", "topology": "random:n=16,d=4", "price": 9500},
                             {"name": "another ring", "topology": "torus:4x4", "parameters": {"link_latency": "3 ns"}, "price": 9001}],
                "sensitivity": {"routings": [], "host_links": []}, "budget": {"dollars": 90000}}
# Studies of other kinds, whose workloads all have the same weight.
KINDS = {
    "plain": PLAIN,
    "assumptions": SENSITIVE,
    "one network": {**PLAIN, "networks": NETWORKS[:1]},
    "routing rules": {**PLAIN, "routings": ["default", "ecmp"]},
    "models": {**PLAIN, "models": ["smpi", "packet"]},
    "failures": {**PLAIN, "networks": [NETWORKS[2], {"name": "torus", "topology": "torus:3x3"}], "baseline": "torus", "failures": {"cables": "10%", "seeds": 2}},
    "traffic": {**PLAIN, "throughput": {"patterns": ["uniform", "tornado"]}},
    "repetitions": {**PLAIN, "networks": NETWORKS, "repetitions": 3, "mappings": ["one-each", "random"]},
    "extrapolated": {**EXTRAPOLATED, "workloads": [{**w, "weight": 1} for w in EXTRAPOLATED["workloads"]]},
    "jobs": {**PLAIN, "workloads": PLAIN["workloads"][:1], "networks": [{"name": "torus", "topology": "torus:4x4"}, {"topology": "ring:16"}],
             "baseline": "torus", "jobs": [{"trace": "long.ti"}, {"trace": "short.ti"}]},
}
# Names that would break out of text, attributes and scripts, or turn the letters round, where they are not escaped.
HOSTILE = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"&amp;\u202egnihton\u2066"
BAD_NAMES = {"title": f"{HOSTILE} title", "baseline": f"{HOSTILE} net",
             "networks": [{"name": f"{HOSTILE} net", "topology": "torus:4x4"}, {"topology": "torus:4x4", "parameters": {"duplex": "shared"}}],
             "workloads": [{"name": f"{HOSTILE} work", "trace": "long.ti"}, {"trace": "short.ti"}], "budget": {"dollars": 90000}}


def toml(value):
    """A value in one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def text(study):
    return "".join(f"{key} = {toml(value)}\n" for key, value in study.items())


def weighted(study, *weights):
    return {**study, "workloads": [{**w, "weight": weight} for w, weight in zip(study["workloads"], weights)]}


def priced(study, name, price):
    return {**study, "networks": [{**n, "price": price} if n["name"] == name else n for n in study["networks"]]}


def without_last(study, key):
    return {**study, key: study[key][:-1]}


OWNERSHIP = {"energy_price": "0.25", "years": "4", "pue": "1.4", "support": "0.05"}


def owned(study):
    return {**study, "budget": {**study.get("budget", {}), **{key: float(value) for key, value in OWNERSHIP.items()}}}


# Name, study as written, what a reader changes in the page, and the study with the same change. What is left out is the last of its
# list: letters are given by position, and the page keeps those of the report as written.
CHANGES = [
    ("weights", RICH, {"w0": "1", "w1": "7", "w2": "2.5"}, weighted(RICH, 1, 7, 2.5)),
    ("equal weights", RICH, {"w0": "0.1", "w1": "0.1", "w2": "0.1"}, weighted(RICH, 0.1, 0.1, 0.1)),
    ("a workload left out", RICH, {"w2": "0"}, without_last(RICH, "workloads")),
    ("another baseline", RICH, {"base": "2"}, {**RICH, "baseline": "mesh of all"}),
    ("a random baseline", RICH, {"base": "1"}, {**RICH, "baseline": "random"}),
    ("a network left out", RICH, {"on4": False}, without_last(RICH, "networks")),
    ("a small budget", RICH, {"dollars": "10"}, {**RICH, "budget": {"dollars": 10}}),
    ("a large budget", RICH, {"dollars": "123456.5", "watts": "5000", "metres": "1e4"},
     {**RICH, "budget": {"dollars": 123456.5, "watts": 5000, "metres": 10000}}),
    ("a total cost", RICH, {**OWNERSHIP, "total": "20000"}, {**RICH, "budget": {**owned(RICH)["budget"], "total": 20000}}),
    ("a price", RICH, {"price2.0": "2500"}, priced(RICH, "mesh of all", 2500)),
    ("all of these", RICH, {"w0": "1", "w1": "2", "w2": "0", "base": "2", "on4": False, "price1.0": "1234.5", "dollars": "", **OWNERSHIP},
     priced(without_last(without_last(weighted({**owned(RICH), "baseline": "mesh of all", "budget": {**{
         key: float(value) for key, value in OWNERSHIP.items()}}}, 1, 2, 1), "workloads"), "networks"), "random", 1234.5)),
    ("weights where there are none", PLAIN, {"w0": "2"}, weighted(PLAIN, 2, 1, 1)),
    ("a baseline in a plain study", PLAIN, {"base": "1"}, {**PLAIN, "baseline": "mesh of all"}),
    ("a budget where there is none", PLAIN, {"dollars": "9000"}, {**PLAIN, "budget": {"dollars": 9000}}),
    ("a price where there is none", PLAIN, {"price1.0": "700"}, priced(PLAIN, "mesh of all", 700)),
    ("equal networks", TWINS, {"w0": "2"}, weighted(TWINS, 2, 1, 1)),
    ("equal networks over the budget", TWINS, {"dollars": "1", "base": "1"}, {**TWINS, "baseline": "mesh of all", "budget": {"dollars": 1}}),
    ("weights of assumptions", SENSITIVE, {"w0": "5", "w1": "0.25"}, weighted(SENSITIVE, 5, 0.25, 1)),
    ("a baseline of assumptions", SENSITIVE, {"base": "1"}, {**SENSITIVE, "baseline": "mesh of all"}),
    ("a budget for assumptions", SENSITIVE, {"dollars": "", "price1.0": "700"}, priced({**SENSITIVE, "budget": {}}, "mesh of all", 700)),
    ("one workload", PLAIN, {"w1": "0", "w2": "0"}, {**PLAIN, "workloads": PLAIN["workloads"][:1]}),
    ("weights in settings", SETTINGS, {"w0": "1", "w1": "9"}, weighted(SETTINGS, 1, 9, 1)),
    ("a baseline in settings", SETTINGS, {"base": "2"}, {**SETTINGS, "baseline": "ring, shared"}),
    ("weights of long runs", EXTRAPOLATED, {"w0": "1", "w1": "5"}, weighted(EXTRAPOLATED, 1, 5)),
    ("a baseline of long runs", EXTRAPOLATED, {"base": "1"}, {**EXTRAPOLATED, "baseline": "cube"}),
    ("prices of long runs", EXTRAPOLATED, {"price3.0": "9000", "dollars": "9200"},
     priced({**EXTRAPOLATED, "budget": {"dollars": 9200}}, "another ring", 9000)),
    ("a price on one platform", SETTINGS, {"price2.1": "99", "total": "", "years": "10"},
     priced({**SETTINGS, "budget": {"energy_price": 0.2, "years": 10}}, "ring, shared", {"100G": 4000, "200G": 99})),
]
