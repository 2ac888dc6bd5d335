"""The package itself: types, examples in docstrings, imports."""

import doctest
import importlib
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
