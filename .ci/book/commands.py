"""Commands in documents: their verbs and flags exist."""

import re

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
START = re.compile(r"^(?:[$#] )?(?:mopsim|cargo run --release --(?! -)|target/release/mopsim) (.*)")


def commands(text):
    """Arguments of each command in blocks of shell commands, without comments and what a pipe follows with."""
    for language, block in FENCE.findall(text):
        if language in {"sh", "console", "text", ""}:
            for line in block.replace("\\\n", " ").splitlines():
                if match := START.match(line.strip()):
                    yield line.strip(), re.sub(r'"[^"]*"', "VALUE", re.split(r"\s#\s|\s[|>]|\s--\s", match[1])[0]).split()


def problems(name, text, verbs):
    known = {verb.words: verb for verb in verbs}
    everywhere = set(known[()].flags())
    for line, words in commands(text):
        # Results in a block of text may begin with the program's name.
        path = ()
        while len(path) < len(words) and (*path, words[len(path)]) in known:
            path = (*path, words[len(path)])
        if not path and not (words and words[0].startswith("-")):
            yield f"{name}: no verb in `{line}`"
            continue
        flags = everywhere | set(known[path].flags())
        for word in words[len(path):]:
            flag = word.partition("=")[0]
            if re.fullmatch(r"--?[a-z][\w-]*", flag) and flag not in flags:
                yield f"{name}: `{flag}` is no flag of {known[path].name}, in `{line}`"


def count(text):
    return len(list(commands(text)))
