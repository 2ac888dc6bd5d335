"""Checks of the built pages: links, anchors, and that nothing is loaded from the network."""

import html.parser
import os
import pathlib
import re
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids |= {values[key] for key in ("id", "name") if values.get(key)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag == "link" and values.get("rel") in {"stylesheet", "icon", "shortcut icon", "preload"}:
            self.loads.append(values.get("href"))
        elif tag in {"img", "script", "iframe", "source"} and values.get("src"):
            self.loads.append(values["src"])


def problems(folder):
    """What is wrong with the pages below this folder, but for those of rustdoc, which checks its own links."""
    pages = {p: Page(p.read_text()) for p in sorted(folder.rglob("*.html")) if "rustdoc" not in p.relative_to(folder).parts}
    found, links = [], 0
    for path, page in pages.items():
        for target in page.links + page.loads:
            scheme = re.match(r"[a-z]+:|//", target)
            if scheme:
                if target in page.loads and scheme[0] != "data:":
                    found.append(f"{path.relative_to(folder)}: loads {target}")
                continue
            links += 1
            file, _, anchor = urllib.parse.unquote(target).partition("#")
            to = pathlib.Path(os.path.normpath(path.parent / file.partition("?")[0])) if file else path
            if not to.is_file():
                found.append(f"{path.relative_to(folder)}: no file {target}")
            elif anchor and to in pages and anchor not in pages[to].ids:
                found.append(f"{path.relative_to(folder)}: no anchor {target}")
    return found, len(pages), links
