"""The notebooks run, from the first cell to the last."""

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2])) / "examples" / "python"
SECONDS = 120

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
pytest.importorskip("sklearn")

@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)  # pictures go into the notebook
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(path, as_version=4)
    if any("import torch" in cell.source for cell in notebook.cells):
        pytest.importorskip("torch", reason="without PyTorch (Debian: python3-torch)")
    nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in shown)


def test_notebooks_are_kept_without_outputs():
    for path in FOLDER.glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            assert cell.cell_type != "code" or (not cell.outputs and cell.execution_count is None), path
