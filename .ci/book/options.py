"""Pages of options, from the help of the program itself."""

import os
import re
import subprocess

FOLDER = "docs/reference/options"
OPTION = re.compile(r" {2,6}([-<\[].*)")


def help_of(program, verb):
    """Help of a verb, a tuple of words, in lines of at most 100 columns."""
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    run = subprocess.run([program, *verb, "--help"], capture_output=True, text=True, check=True, env=environment)
    return run.stdout


class Verb:
    """Parsed help: `about`, `usage`, `commands`, `sections` (name to list of (option, paragraphs)) and `notes`."""

    def __init__(self, words, text):
        self.words = words
        about, _, rest = text.partition("\nUsage: ")
        self.about = [" ".join(p.split()) for p in about.strip().split("\n\n")]
        usage, _, rest = rest.partition("\n\n")
        self.usage = " ".join(usage.split())
        self.commands, self.sections, self.notes = {}, {}, ""
        lines = rest.splitlines()
        while lines:
            body = next((n for n, line in enumerate(lines[1:], 1) if line and not line.startswith(" ")), len(lines))
            heading, block = lines[0].rstrip(":"), lines[1:body]
            if heading == "Commands":
                self.commands = commands(block)
            elif lines[0].endswith(":") and block and OPTION.match(block[0]):
                self.sections[heading] = entries(block)
            else:
                self.notes = "\n".join(lines).strip()
                break
            lines = lines[body:]

    @property
    def name(self):
        return " ".join(("mopsim", *self.words))

    @property
    def page(self):
        return f"{FOLDER}/{'-'.join(self.words) or 'index'}.md"

    def flags(self):
        """All spellings: `-q`, `--quiet` and aliases."""
        for options in self.sections.values():
            for option, paragraphs in options:
                yield from re.findall(r"(?<![\w<-])--?[A-Za-z][\w-]*", option.partition("<")[0])
                for alias in re.findall(r"\[alias(?:es)?: ([^\]]*)\]", "\n".join(paragraphs)):
                    yield from re.findall(r"--?[A-Za-z][\w-]*", alias)


def commands(block):
    found, name = {}, None
    for line in block:
        if match := re.match(r"  (\S+)\s+(.*)", line):
            name = match[1]
            found[name] = match[2].strip()
        elif line.strip():
            found[name] += " " + line.strip()
    found.pop("help", None)
    return found


def entries(block):
    """Options with their paragraphs; a list of values is one paragraph of several lines."""
    found = []
    for line in block:
        if line.strip() and not line.startswith(" " * 8):
            found.append((line.strip(), [""]))
        elif not line.strip():
            found[-1][1].append("")
        else:
            text, paragraphs = line.strip(), found[-1][1]
            item = text.startswith("- ")
            joined = f"\n{text}" if item or paragraphs[-1].endswith("values:") else f" {text}"
            paragraphs[-1] = (paragraphs[-1] + joined).strip()
    return [(option, [p for p in paragraphs if p]) for option, paragraphs in found]


def all_verbs(program):
    """The program and all its verbs, each behind the one it belongs to."""
    def visit(words):
        verb = Verb(words, help_of(program, words))
        yield verb
        for command in verb.commands:
            yield from visit((*words, command))
    return list(visit(()))


def escaped(text):
    """Markdown that shows this text, with documents as links."""
    parts = re.split(r"(`[^`]*`)", text)
    for n in range(0, len(parts), 2):
        parts[n] = re.sub(r"([\\*_<>\[\]|])", r"\\\1", parts[n])
        parts[n] = re.sub(r"docs/([\w/.\\-]+\.md)", lambda m: f"[{m[0]}](/docs/{m[1]})".replace("\\", ""), parts[n])
        parts[n] = re.sub(r"(?<![\w`-])--[a-z][\w-]*", r"`\g<0>`", parts[n])
    return "".join(parts)


def meaning(paragraphs):
    """Lines of Markdown: the meaning, the values, the default."""
    lines, facts = [], []
    for paragraph in paragraphs:
        # Brackets may hold brackets: `[default: [1, 2]]`.
        for kind, value in re.findall(r"\[(default|alias|aliases|possible values): ((?:[^\[\]]|\[[^\]]*\])*)\]", paragraph):
            label = {"default": "Default", "possible values": "Values"}.get(kind, "Also")
            facts.append(f"{label}: {escaped(value)}.")
            paragraph = paragraph.replace(f"[{kind}: {value}]", "").strip()
        head, *items = paragraph.split("\n")
        if items and items[0].startswith("- "):
            rows = [re.match(r"- ([^:]+)(?::\s+(.*))?", item) for item in items]
            lines += ["Values:", "", *(f"- `{r[1]}`" + (f": {escaped(r[2])}" if r[2] else "") for r in rows), ""]
        elif paragraph:
            lines += [escaped(" ".join(paragraph.split())), ""]
    return lines + facts


def page(verb, verbs):
    lines = [f"# {verb.name}", "", f"<!-- from `{verb.name} --help` -->", ""]
    for paragraph in verb.about:
        lines += [escaped(paragraph) + ("" if paragraph.endswith(".") else "."), ""]
    lines += ["```text", verb.usage, "```", ""]
    if verb.commands:
        lines += ["## Commands", "", "| command | purpose |", "| --- | --- |"]
        for command, purpose in verb.commands.items():
            target = next(v for v in verbs if v.words == (*verb.words, command))
            lines.append(f"| [`{command}`](/{target.page}) | {escaped(purpose)} |")
        lines.append("")
    for heading, options in verb.sections.items():
        lines += [f"## {heading}", ""]
        for option, paragraphs in options:
            body = meaning(paragraphs)
            rest = "\n".join(body[1:]).strip("\n").splitlines()
            lines += [f"`{option}`", f": {body[0]}", *([""] if rest else []), *(f"  {line}" if line else "" for line in rest), ""]
    if verb.notes:
        lines += ["## Notes and examples", "", "```text", verb.notes, "```", ""]
    return "\n".join(lines)


def index(verbs):
    top = verbs[0]
    lines = ["# Options", "", "Every verb with its options, their values and defaults, made from the help of the program.",
             "`mopsim VERB -h` prints the options of every day, `--help` all of them.", "",
             "| verb | purpose |", "| --- | --- |"]
    lines += [f"| [`{v.name}`](/{v.page}) | {escaped(v.about[0])} |" for v in verbs if v is not top]
    return "\n".join(lines) + "\n\n" + page(top, verbs).split("\n", 1)[1]


def problems(verbs):
    for verb in verbs:
        for options in verb.sections.values():
            yield from (f"{verb.name}: {option} has no meaning" for option, paragraphs in options if not paragraphs)
    if len(verbs) < 20:
        yield f"only {len(verbs)} verbs were found in the help of the program"


def pages(program):
    """Pages (path to Markdown), the chapters (depth, title, path), and problems."""
    verbs = all_verbs(program)
    if found := list(problems(verbs)):
        return {}, [], found, verbs
    made = {v.page: page(v, verbs) for v in verbs[1:]} | {f"{FOLDER}/index.md": index(verbs)}
    chapters = [(0, "Options", f"{FOLDER}/index.md")]
    chapters += [(len(v.words), v.name.removeprefix("mopsim "), v.page) for v in verbs[1:]]
    return made, chapters, [], verbs
