"""Source of the book: the documents, with links that lead to pages of the book."""

import os
import pathlib
import re
import shutil

import flowchart
import formulas
import notebooks

TOP = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "THIRD-PARTY.md"]
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.S | re.M)
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
FOLDERS = {"studies": "Studies", "data": "Price lists", "traces": "Traces", "docs": "Documents", "python": "Notebooks"}


class Stage:
    """Pages by path below the root, files to copy, and what is wrong."""

    def __init__(self, root, executed):
        self.root, self.executed = root, executed
        self.pages, self.files, self.shown, self.problems = {}, {}, {}, []

    def add_documents(self):
        found = [self.root / name for name in TOP] + sorted((self.root / "docs").rglob("*.md"))
        for path in found:
            name = path.relative_to(self.root).as_posix()
            if name != "docs/SUMMARY.md":
                self.pages[name] = self.document(name)

    def document(self, name):
        """Markdown of a document, with its formulas typeset."""
        text, problems = formulas.typeset(name, (self.root / name).read_text())
        self.problems += problems
        return text

    def link(self, page, target):
        """Link in `page`, for the book; files that it needs become pages or copies."""
        if re.match(r"[a-z]+:|#", target):
            return target
        file, _, anchor = target.partition("#")
        here = pathlib.PurePosixPath(page).parent
        name = file[1:] if file.startswith("/") else os.path.normpath(here / file)
        to = self.page_of(name)
        if to is None:
            self.problems.append(f"{page}: no page for {target}")
            return target
        relative = os.path.relpath(to, here)
        return relative.replace("README.md", "index.md") + (f"#{anchor}" if anchor else "")

    def page_of(self, name):
        """Page or copied file that shows a file of the repository."""
        path = self.root / name
        if name in self.pages or name in self.files:
            return name
        if name.endswith(".schema.json"):
            self.files[name] = path.read_bytes()
            return name
        if path.is_dir():
            if (path / "README.md").exists():
                return self.page_of(f"{name}/README.md")
            self.pages[f"{name}/index.md"] = ""
            inside = sorted(p for p in path.iterdir() if p.is_file())
            lines = [f"- [{p.name}]({p.name})" for p in inside]
            self.pages[f"{name}/index.md"] = f"# {name}\n\nFiles of this folder.\n\n" + "\n".join(lines) + "\n"
            self.shown[f"{name}/index.md"] = name
            return f"{name}/index.md"
        if not path.is_file():
            return None
        if path.suffix in {".svg", ".png"}:
            self.files[name] = path.read_bytes()
            return name
        if path.suffix == ".md":
            self.pages[name] = self.document(name)
            self.shown[name] = name.removesuffix("/README.md")
            return name
        to = f"{name}.md"
        if to in self.pages:
            return to
        if path.suffix == ".ipynb":
            self.files[name] = path.read_bytes()
            self.pages[to], pictures = notebooks.page(path, self.executed / path.name, str(pathlib.PurePosixPath(name).parent))
            self.files |= pictures
        else:
            language = {".toml": "toml", ".json": "json", ".star": "python"}.get(path.suffix, "text")
            self.pages[to] = f"# {path.name}\n\n`{name}`\n\n```{language}\n{path.read_text().rstrip()}\n```\n"
        self.shown[to] = path.name
        return to

    def draw(self):
        """Replaces flow charts by pictures of them."""
        for name, text in self.pages.items():
            def picture(match, name=name):
                to = f"{name.removesuffix('.md')}-chart-{match.start()}.svg"
                self.files[to] = flowchart.svg(match[1]).encode()
                return f"![Flow chart]({pathlib.PurePosixPath(to).name})"
            self.pages[name] = re.sub(r"^```mermaid\n(.*?)^```", picture, text, flags=re.S | re.M)

    def rewrite(self):
        """Rewrites the links of all pages, those included that this adds."""
        done = set()
        while todo := [name for name in self.pages if name not in done]:
            for name in todo:
                done.add(name)
                pieces, at = [], 0
                text = self.pages[name]
                for code in [*CODE.finditer(text), None]:
                    prose = text[at:code.start() if code else None]
                    pieces.append(LINK.sub(lambda m: f"]({self.link(name, m[1])})", prose))
                    if code:
                        pieces.append(code[0])
                        at = code.end()
                self.pages[name] = "".join(pieces)

    def summary(self, generated):
        """Chapters from docs/SUMMARY.md; a comment there is replaced by the chapters of that name."""
        listed, lines = set(), []
        for line in (self.root / "docs/SUMMARY.md").read_text().splitlines():
            if comment := re.fullmatch(r"(\s*)<!-- (\S+) -->", line):
                for depth, title, path in generated[comment[2]]:
                    listed.add(path)
                    lines.append(f"{comment[1]}{'  ' * depth}- [{title}]({path.replace('README.md', 'index.md')})")
            elif target := LINK.search(line):
                name = os.path.normpath(f"docs/{target[1]}")
                listed.add(name)
                lines.append(line.replace(f"]({target[1]})", f"]({name.replace('README.md', 'index.md')})"))
            else:
                lines.append(line)
        lines += ["", "# Files"]
        for folder in sorted({name.split("/")[0] for name in self.shown}):
            inside = sorted(name for name in self.shown if name.startswith(f"{folder}/") and name not in listed)
            lines += [f"- [{FOLDERS.get(folder, folder)}]()"]
            lines += [f"  - [{self.shown[name]}]({name.replace('README.md', 'index.md')})" for name in inside]
        self.problems += [f"docs/SUMMARY.md does not have {name}" for name in self.pages if name not in listed | set(self.shown)]
        return "\n".join(lines) + "\n"

    def write(self, folder, summary):
        for name, content in [*self.pages.items(), *self.files.items(), ("SUMMARY.md", summary)]:
            path = folder / "src" / name.replace("README.md", "index.md")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        for name in ("book.toml", "book.css"):
            shutil.copy(self.root / "docs" / name, folder / name)
