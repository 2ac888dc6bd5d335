"""The notebooks run from their first cell to their last, and are stored without outputs."""

import os

import nbclient
import nbformat
import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert len(NOTEBOOKS) == 3


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path, monkeypatch):
    # Frozen modules make the debugger of the kernel warn.
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(path, as_version=4)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code"), "store it without outputs"
    client = nbclient.NotebookClient(notebook, timeout=240, resources={"metadata": {"path": str(path.parent)}})
    client.execute()
    pictures = [
        output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output
    ]
    assert sum("image/png" in output.data for output in pictures) >= 2
    if folder := os.environ.get("NOTEBOOKS_TO"):
        nbformat.write(notebook, os.path.join(folder, path.name))
