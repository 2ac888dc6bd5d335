"""Graphs, floors and platforms."""

import mopsim
import networkx
import numpy
import pytest
import scipy.sparse.csgraph

SPECS = ["torus:8x8", "random:n=64,d=6", "imase-itoh:n=64,d=6", "fat-tree:4", "hypercube:5", "dragonfly:a=4,p=2,h=2"]


@pytest.mark.parametrize("spec", SPECS)
def test_edges_are_those_of_the_export(spec):
    topology = mopsim.Topology(spec)
    ends = topology.edges()
    assert ends.shape == (topology.cables, 2) and ends.dtype == numpy.uint32
    lines = topology.export("edges").decode().splitlines()
    written = [tuple(map(int, line.split())) for line in lines if not line.startswith("#")]
    assert sorted(map(tuple, ends.tolist())) == sorted(written)
    # It is an array of its own, which may be changed.
    ends[0] = 0


@pytest.mark.parametrize("spec", ["torus:8x8", "random:n=64,d=6", "imase-itoh:n=64,d=6", "hypercube:5"])
def test_distances_are_those_of_other_libraries(spec):
    topology = mopsim.Topology(spec)
    metrics = topology.metrics(bisection=0)
    graph = topology.networkx()
    assert graph.is_directed() == topology.directed
    assert networkx.diameter(graph) == metrics["diameter"]
    assert networkx.average_shortest_path_length(graph) == pytest.approx(metrics["aspl"], rel=1e-12)
    matrix = topology.sparse()
    assert matrix.shape == (topology.vertices, topology.vertices)
    distances = scipy.sparse.csgraph.shortest_path(matrix, unweighted=True)
    assert distances.max() == metrics["diameter"]
    assert int(distances.sum()) == metrics["distance_sum"]
    if not topology.directed:
        assert (matrix != matrix.T).nnz == 0


def test_floors():
    topology = mopsim.Topology("torus:8x8")
    metres = topology.cable_metres(switches_per_cabinet=8)
    layout = topology.layout(switches_per_cabinet=8)
    assert metres.shape == (128,)
    # Sums of floating-point numbers depend on their order.
    assert metres.sum() == pytest.approx(layout["cable_metres"], rel=1e-12) and metres.max() == layout["longest_cable_metres"]
    cabinets = topology.cabinets(switches_per_cabinet=8)
    assert cabinets.shape == (64, 3)
    assert len(numpy.unique(cabinets[:, 0])) == layout["cabinets"] == 8
    assert cabinets[:, 1].max() + 1 == layout["rows"]
    graph = topology.networkx()
    assert sum(length for *_, length in graph.edges(data="metres")) == pytest.approx(topology.layout()["cable_metres"])
    assert topology.floor_svg().startswith("<svg")


def test_cost(root, cli):
    prices = root / "data" / "prices" / "example.toml"
    torus = mopsim.Topology("torus:8x8")
    assert torus.cost(prices=prices) == cli.json("topology", "torus:8x8", "--prices", prices)["cost"]
    faster = torus.cost(prices=prices, link_bandwidth="200 Gbit/s", floor_plan="grid", switches_per_cabinet=8)
    options = ["--link-bandwidth", "200 Gbit/s", "--floor-plan", "grid", "--switches-per-cabinet", "8"]
    assert faster == cli.json("topology", "torus:8x8", "--prices", prices, *options)["cost"]
    assert faster["link_rate_gbps"] == 200


def test_routes():
    platform = mopsim.Platform("torus:4x4")
    names = {row["link"] for row in platform.link_table()}
    assert set(platform.route(0, 15)) <= names
    assert len(platform.route(0, 10)) == 4 + 2
    with pytest.raises(mopsim.InputError, match="no host 16"):
        platform.route(0, 16)
    with pytest.raises(mopsim.InputError, match="no switch 99"):
        mopsim.Topology("torus:4x4").route(0, 99)


def test_exports(tmp_path, cli):
    xml = mopsim.Platform("torus:4x4").export(path=tmp_path / "p.xml")
    assert (tmp_path / "p.xml").read_bytes() == xml
    assert xml.decode() == cli("export", "torus:4x4", "--to", "simgrid").stdout
    with pytest.raises(mopsim.InputError, match="no format"):
        mopsim.Topology("ring:4").export("xyz")
    with pytest.raises(mopsim.InputError, match="export a Platform"):
        mopsim.Topology("ring:4").export("simgrid")


def test_seeds():
    drawn = [mopsim.Topology("random:n=32,d=4", seed=seed).export("edges") for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert mopsim.Topology("random:n=32,d=4,seed=5", seed=1).seed == 5
    assert mopsim.Platform("random:n=32,d=4", seed=9).info["seed"] == 9


def test_planes_and_failures_are_part_of_the_topology():
    planes = mopsim.Platform("ring:4", planes=2, rail="striped")
    assert planes.topology is not None
    assert (planes.hosts, planes.topology.family, planes.topology.vertices) == (4, "rails", 8)
    ports = mopsim.Platform(mopsim.Topology("torus:4x4"), host_ports=2, host_ports_at="group")
    assert ports.topology is not None and ports.topology.family == "rails"
    broken = mopsim.Platform("torus:4x4", without="0-1", routing="repaired")
    assert broken.topology is not None and broken.topology.cables == 31
    with pytest.raises(mopsim.InputError, match="0-5"):
        mopsim.Platform("torus:4x4", without="0-5")


def test_notebooks_show_them():
    assert "torus" in mopsim.Topology("torus:4x4")._repr_html_()
    assert "hosts" in mopsim.Platform("torus:4x4")._repr_html_()
