"""Notebooks as pages: with the outputs of a run where one is kept, else their text and code."""

import base64
import html
import json
import re


def text_of(value):
    return value if isinstance(value, str) else "".join(value)


def printed(outputs):
    """What a cell has printed; progress, which goes to standard error, is left out."""
    text = "".join(text_of(o["text"]) for o in outputs if o["output_type"] == "stream" and o["name"] == "stdout")
    return f"<pre>{html.escape(text.rstrip())}</pre>" if text else ""


def output(cell_output, save):
    """Markdown of one output; `save` stores a picture and returns its name."""
    data = cell_output.get("data", {})
    if "image/png" in data:
        return f"![Output of the cell above]({save('png', base64.b64decode(text_of(data['image/png'])))})"
    if "text/html" in data:
        page = text_of(data["text/html"])
        # A whole page, such as a report, stays out of this one; an iframe has it in an attribute.
        if frame := re.search(r'srcdoc="([^"]*)"', page):
            page = html.unescape(frame[1])
        if "<html" in page[:500].lower():
            return f"[Open the report of this cell]({save('html', page.encode())})"
        page = re.sub(r"<style.*?</style>", "", page, flags=re.S)
        return re.sub(r"\n\s*", "\n", page).replace("\n\n", "\n")
    if "text/plain" in data:
        return f"<pre>{html.escape(text_of(data['text/plain']))}</pre>"
    return ""


def page(notebook, executed, folder):
    """Markdown of a notebook, and the files that it shows, with their content; `folder` is that of the page."""
    cells = json.loads((executed if executed.exists() else notebook).read_text())["cells"]
    parts, files = [], {}

    def save(ending, content):
        name = f"{notebook.stem}-{len(files) + 1}.{ending}"
        files[f"{folder}/{name}"] = content
        return name

    for cell in cells:
        source = text_of(cell["source"]).strip()
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif cell["cell_type"] == "code":
            parts.append(f"```python\n{source}\n```")
            outputs = cell.get("outputs", [])
            parts += [printed(outputs), *(output(o, save) for o in outputs)]
    note = f"[The notebook itself]({notebook.name})" + ("." if executed.exists() else ", here without its outputs.")
    title, *rest = parts
    return "\n\n".join([title, note, *filter(None, rest)]) + "\n", files
