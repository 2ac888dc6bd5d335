"""The Python of docs/guide/python.md runs, block after block."""

import re

import mopsim
import pytest


@pytest.mark.filterwarnings("error")
def test_the_guide_runs(root, tmp_path, monkeypatch, capsys, cli):
    for folder in ("traces", "studies", "data"):
        (tmp_path / folder).symlink_to(root / folder)
    monkeypatch.chdir(tmp_path)
    mopsim.Platform("torus:4x4").export(path="cluster.xml")
    text = (root / "docs" / "guide" / "python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M)
    assert len(blocks) >= 4
    names = {}
    for block in blocks:
        exec(compile(block, "docs/guide/python.md", "exec"), names)
    # The study of the README, whose numbers are those of the command line.
    assert names["result"].report == cli.json("compare", "studies/uni-vs-bi.toml")
    assert (tmp_path / "report.html").exists() and (tmp_path / "stencil.mtrace").exists()


def test_the_guide_has_every_column(root):
    text = (root / "docs" / "guide" / "python.md").read_text()
    table = text[text.index("| column | meaning |") :].split("\n\n")[0]
    described = set(re.findall(r"`([a-z_]+)`", "\n".join(line.split(" | ")[0] for line in table.splitlines())))
    described.add("topology")
    trace = mopsim.Trace.from_actions([["compute 1"]])
    assert described == set(mopsim.compare([trace], ["ring:2"]).cells.columns)
