"""Frames, and reports in notebooks."""

import math
import sys

import mopsim
import polars
import pyarrow
import pytest


@pytest.fixture(scope="module")
def result():
    traces = [mopsim.Trace.generate(f"npb/{name}", 16, {"class": "S"}) for name in ("is", "mg")]
    networks = {"<ring> & co": "ring:16", "torus": "torus:4x4", "random": "random:n=16,d=4"}
    return mopsim.compare(traces, networks, title="A & B")


def test_frames_have_the_same_values(result):
    table = result.cells
    pandas_frame, polars_frame, arrow = result.pandas(), result.polars(), result.arrow()
    assert list(pandas_frame.columns) == polars_frame.columns == arrow.column_names == table.columns
    for name in table.columns:
        values = table[name]
        assert arrow[name].to_pylist() == polars_frame[name].to_list() == values, name
        for value, own in zip(values, pandas_frame[name]):
            assert own == value or (value is None and (own is None or math.isnan(own))), name
    assert pandas_frame["simulated_seconds"].dtype == "float64"
    assert pandas_frame["price"].dtype == "float64"
    assert arrow.schema.field("messages").type == pyarrow.int64()


def test_others_take_the_table_as_it_is(result):
    assert polars.DataFrame(result.cells).equals(result.polars())
    assert pyarrow.table(result.cells).equals(result.arrow())


def test_every_factor_is_a_column(result):
    wanted = "workload network spec family hosts link_bandwidth duplex routing mapping price watts seed compute_share"
    assert set(wanted.split()) <= set(result.cells.columns)
    rows = {row["network"]: row for row in result.cells if row["workload"].startswith("is")}
    assert rows["torus"]["family"] == "torus" and rows["torus"]["spec"] == "torus:dims=4x4"
    assert rows["torus"]["hosts"] == 16 and rows["random"]["seed"] == 1
    shares = [rows["torus"][f"{part}_share"] for part in ("compute", "latency", "bandwidth", "waiting")]
    assert sum(shares) == pytest.approx(1)


def test_means(result):
    geometric = {row["network"]: row["geometric"] for row in result.means}
    assert geometric["<ring> & co"] == 1


def test_offers_name_their_setting(root):
    prices = (root / "data" / "prices" / "example.toml").as_posix()
    offers = mopsim.Study(f"""
title = "Purchase"
mappings = ["one-each", "random"]
routings = ["balanced", "ecmp"]
models = ["ordered", "ideal"]
[[networks]]
topology = "torus:4x4"
[[networks]]
topology = "random:n=16,d=4"
[[workloads]]
workload = "npb/is"
class = "S"
ranks = 16
[budget]
prices = "{prices}"
""").run().offers
    settings = ["network", "platform", "mapping", "routing_setting", "collectives", "model", "failures"]
    assert len(offers) == 16 and set(settings) <= set(offers.columns)
    # No two rows have the same names.
    assert len(offers.pandas()[settings].fillna("").drop_duplicates()) == 16
    assert set(offers["routing_setting"]) == {"balanced", "ecmp"} and set(offers["model"]) == {"ordered", "ideal"}


@pytest.mark.parametrize("package, extra", [("pandas", "pandas"), ("polars", "polars"), ("pyarrow", "arrow"), ("numpy", "numpy"),
                                            ("networkx", "graphs"), ("scipy.sparse", "graphs")])
def test_a_missing_package_is_named_with_its_extra(result, root, monkeypatch, package, extra):
    assert f"\n{extra} = [" in (root / "pyproject.toml").read_text()
    monkeypatch.setitem(sys.modules, package, None)
    torus = mopsim.Topology("torus:4x4")
    calls = {"pandas": result.pandas, "polars": result.polars, "pyarrow": result.arrow, "numpy": torus.edges,
             "networkx": torus.networkx, "scipy.sparse": torus.sparse}
    with pytest.raises(ImportError, match=rf'{package} is not installed; install it with pip install "mopsim\[{extra}\]"'):
        calls[package]()


def test_a_column_that_is_not_there(result):
    with pytest.raises(KeyError, match="speed"):
        result.cells["speed"]


def test_notebooks_show_the_report(result):
    shown = result._repr_html_()
    assert shown.startswith('<iframe title="A &amp; B" srcdoc="&lt;!') and shown.endswith("</iframe>")
    # Nothing of the page ends the attribute that it is in.
    assert shown.count('"') == 8
    page = result.html()
    assert page.startswith("<!") and "&lt;ring&gt; &amp; co" in page
    assert "<ring>" not in page
    assert "&lt;ring&gt;" in result.cells._repr_html_()


def test_save(result, tmp_path):
    for name, begins in [("r.html", "<!"), ("r.json", "{"), ("r.csv", "workload,"), ("r.md", "#"), ("r.txt", "A & B")]:
        result.save(tmp_path / name)
        assert (tmp_path / name).read_text().startswith(begins)
    with pytest.raises(ValueError, match="end the name"):
        result.save(tmp_path / "r.pdf")
