"""Keys of files in TOML: the program lists them where a file has an unknown one, and documents have to name each."""

import pathlib
import re
import subprocess
import tempfile

STUDIES = "docs/reference/studies.md"
UNKNOWN = "key_that_does_not_exist"
STUDY = 'title = "keys"\n[[networks]]\ntopology = "ring:4"\n[[workloads]]\ntrace = "keys.ti"\n'
# Table, text with an unknown key, and the documents that describe its keys. The text follows the one of a whole study.
TABLES = [
    ("a study", None, [STUDIES]),
    ("[model]", "[model]\n{} = 1\n", [STUDIES]),
    ("loggops", "[model]\nloggops = {{ {} = 1 }}\n", [STUDIES]),
    ("packet", "[model]\npacket = {{ {} = 1 }}\n", ["docs/packets.md"]),
    ("[network]", "[network]\n{} = 1\n", [STUDIES]),
    ("parameters", "[network.parameters]\n{} = 1\n", [STUDIES, "docs/reference/platforms.md"]),
    ("[[networks]]", "[[networks]]\n{} = 1\n", [STUDIES]),
    ("[[platforms]]", "[[platforms]]\n{} = 1\n", [STUDIES]),
    ("[[workloads]]", "[[workloads]]\n{} = 1\n", [STUDIES]),
    ("[[jobs]]", "[[jobs]]\n{} = 1\n", ["docs/guide/jobs.md"]),
    ("[failures]", "[failures]\n{} = 1\n", [STUDIES]),
    ("[degraded]", "[degraded]\n{} = 1\n", [STUDIES]),
    ("[check]", "[check]\n{} = true\n", [STUDIES, "docs/packets.md"]),
    ("[throughput]", "[throughput]\n{} = 1\n", [STUDIES]),
    ("[budget]", "[budget]\n{} = 1\n", [STUDIES]),
    ("[sensitivity]", "[sensitivity]\n{} = 1\n", [STUDIES]),
]
# Other files: name, verb before the file, flag, documents.
FILES = [
    ("a platform file", ["replay", "keys.ti", "--platform"], ["docs/reference/platforms.md", STUDIES]),
    ("a study of throughput", ["throughput"], ["docs/throughput.md"]),
    ("a price list", ["topology", "ring:4", "--prices"], [STUDIES, "data/prices/example.toml"]),
]


def keys(program, arguments, text):
    """Keys that the program expects in place of the unknown one."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "keys.toml"
        path.write_text(text)
        error = subprocess.run([program, *arguments, str(path)], capture_output=True, text=True).stderr
    expected = re.search(rf"unknown field `{UNKNOWN}`, expected (.*)", error)
    return re.findall(r"`(\w+)`", expected[1]) if expected else []


def tables(program):
    """Name of a table, its keys, and the documents that describe them."""
    for name, text, documents in TABLES:
        whole = STUDY + text.format(UNKNOWN) if text else f"{UNKNOWN} = 1\n{STUDY}"
        yield name, keys(program, ["compare"], whole), documents
    for name, arguments, documents in FILES:
        yield name, keys(program, arguments, f"{UNKNOWN} = 1\n"), documents


def code_of(text):
    blocks = re.findall(r"^```.*?^```", text, re.S | re.M)
    return "\n".join(blocks + re.findall(r"`[^`\n]+`", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)))


def lacks(text, members):
    """Keys that a text does not have in its code."""
    return [key for key in members if not re.search(rf"(?<![\w-]){key}(?![\w-])", text)]


def page(found):
    lines = ["# Keys of files", "", "All keys that the program accepts, by table, and the documents that describe them.", "",
             "| table | keys | described in |", "| --- | --- | --- |"]
    for name, members, documents in found:
        links = ", ".join(f"[{document}](/{document})" for document in documents)
        lines.append(f"| {name} | {', '.join(f'`{key}`' for key in members)} | {links} |")
    return "\n".join(lines) + "\n"


def pages(root, program):
    """The page of all keys, its chapter, what documents lack, and the number of keys."""
    found, problems = list(tables(program)), []
    for name, members, documents in found:
        texts = [(document, (root / document).read_text()) for document in documents]
        code = "\n".join(text if document.endswith(".toml") else code_of(text) for document, text in texts)
        problems += [f"{documents[0]}: no key `{key}` of {name}" for key in lacks(code, members)]
        if not members:
            problems.append(f"the keys of {name} cannot be found: .ci/book/keys.py")
    made = {"docs/reference/keys.md": page(found)}
    return made, [(0, "Keys of files", "docs/reference/keys.md")], problems, sum(len(members) for _, members, _ in found)
