"""A notebook as a document: its words and its code; what it prints is made where it runs."""

import json


def render(text, renderer):
    cells = json.loads(text)["cells"]
    source = []
    for cell in cells:
        body = "".join(cell["source"])
        source.append(body if cell["cell_type"] == "markdown" else f"```python\n{body}\n```")
    return renderer.render("\n\n".join(source) + "\n")
