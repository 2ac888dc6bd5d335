"""The package itself: types, examples in docstrings, imports."""

import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import subprocess
import sys

import mopsim
import pytest

MODULES = ["mopsim"] + [f"mopsim.{module.name}" for module in pkgutil.iter_modules(mopsim.__path__)]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("__main__", "._mopsim"))])
def test_examples_in_docstrings(name, monkeypatch, root):
    monkeypatch.chdir(root)
    failures, _ = doctest.testmod(importlib.import_module(name))
    assert failures == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    examples = [test for name in ("Topology", "Platform", "Trace", "Study") for test in finder.find(getattr(mopsim, name))]
    assert sum(len(test.examples) for test in examples) > 40


def test_everything_public_is_described():
    for name in mopsim.__all__:
        item = getattr(mopsim, name)
        assert item.__doc__, name
        members = vars(item) if inspect.isclass(item) else {}
        for member, value in members.items():
            described = inspect.isfunction(value) or isinstance(value, (property, classmethod))
            assert member.startswith("_") or not described or inspect.getdoc(getattr(item, member)), f"{name}.{member}"


def test_the_package_needs_no_other():
    script = "import sys; sys.modules.update(dict.fromkeys(['numpy', 'pandas', 'polars', 'pyarrow', 'networkx', 'scipy', 'tqdm']))"
    script += """
import mopsim
study = mopsim.Study('''
title = "Ring"
[[networks]]
topology = "ring:4"
[[workloads]]
workload = "npb/is"
class = "S"
ranks = 4
''')
result = study.run(progress=True)
print(result.cells.rows[0]["network"], len(result.html()) > 1000)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "ring:n=4 True\n"


def test_options_are_those_of_networks():
    """The types of further options list what Platform takes."""
    options = importlib.import_module("mopsim._options")
    platform = set(inspect.signature(mopsim.Platform.__init__).parameters) - {"self", "network", "name", "seed"}
    assert set(options.NetworkOptions.__annotations__) == platform
    own = set(inspect.signature(mopsim.Study.of).parameters) | set(inspect.signature(mopsim.Study.run).parameters)
    of_compare = own - {"self", "workloads", "networks", "platform"} | platform
    assert set(options.CompareOptions.__annotations__) == of_compare


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="needs mypy")
def test_types_refuse_misspelt_options(root, tmp_path):
    (tmp_path / "misspelt.py").write_text("""
import mopsim
import numpy
mopsim.replay("x", "y", link_bandwith=3)
mopsim.compare([], [], bselin="x")
mopsim.Study("s.toml", mappin="block")
mopsim.Study.of([], [], cors=2)
edges: numpy.ndarray[tuple[int, ...], numpy.dtype[numpy.float64]] = mopsim.Topology("ring:4").edges()
""")
    (tmp_path / "right.py").write_text("""
import mopsim
mopsim.replay("x", "y", link_bandwidth=3, mapping="block", seed=2, name="n")
mopsim.compare([], [], baseline="x", cores=2, threads=1, model="tcp", progress=True)
mopsim.Study("s.toml", mapping="block", link_bandwidth="1 GB/s", seed=3)
edges = mopsim.Topology("ring:4").edges()
""")

    def check(name):
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), name]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        return [line for line in done.stdout.splitlines() if ": error: " in line]

    assert check("right.py") == []
    errors = check("misspelt.py")
    assert len(errors) == 5, errors
    assert all(word in error for word, error in zip(["link_bandwith", "bselin", "mappin", "cors", "ndarray"], errors)), errors


def test_the_stub_has_what_the_extension_has(root):
    stub = (root / "python" / "mopsim" / "_mopsim.pyi").read_text()
    extension = importlib.import_module("mopsim._mopsim")
    for name, item in vars(extension).items():
        if name.startswith("__"):
            continue
        assert f"class {name}:" in stub or f"def {name}(" in stub, name
        if inspect.isclass(item):
            own = stub[stub.index(f"class {name}:") :].split("\nclass ")[0]
            for member in vars(item):
                assert member.startswith("__") or f"def {member}(" in own, f"{name}.{member}"
