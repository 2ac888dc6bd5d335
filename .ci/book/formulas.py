"""Formulas of documents as MathML, which browsers show without a script.

Documents have formulas as GitHub reads them: a block ```math, or $...$ in a line. They are replaced before mdBook sees a page, whose
Markdown would take parts of them for emphasis.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# .ci/python installs the converter there; another one goes first.
sys.path += map(str, (ROOT / "target/python").glob("lib/python*/site-packages"))
try:
    from math_core import LatexError, LatexToMathML
    CONVERTER = LatexToMathML(fancy_error=False)
except ImportError:
    CONVERTER = None

MISSING = "math-core is not here: pages show formulas as they are written (.ci/python installs it)"
# Prices such as `$ 5` are no formulas: there is no blank inside the dollar signs of one.
FORMULA = re.compile(r"^```math\n(?P<block>.*?)^```$|(?P<code>^```.*?^```|`[^`\n]*`)|"
                     r"(?<![\w$\\])\$(?P<text>[^\s$`](?:[^$\n`]*[^\s$`])?)\$(?![\w$])", re.S | re.M)
# Characters that are Markdown between the tags, too.
MARKDOWN = re.compile(r"[\\`*_\[\]]")


def mathml(latex, is_block):
    made = CONVERTER.convert_with_local_state(latex.strip(), displaystyle=is_block)
    return MARKDOWN.sub(lambda match: f"&#{ord(match[0])};", made)


def typeset(name, text):
    """Text of a page with its formulas as MathML, and what is wrong with them."""
    problems = []

    def replaced(match):
        block, inline = match["block"], match["text"]
        if match["code"]:
            return match[0]
        latex = inline if block is None else block
        if inline and re.search(r"\\[^a-zA-Z]", inline):
            problems.append(f"{name}: GitHub's Markdown changes the backslash before a sign in ${inline}$")
        if CONVERTER is None:
            return match[0] if inline is None else f"`{inline}`"
        try:
            made = mathml(latex, inline is None)
        except LatexError as error:
            problems.append(f"{name}: {error}: {latex.strip()}")
            return match[0]
        return made if inline else f'<div class="formula">{made}</div>'

    return FORMULA.sub(replaced, text), problems
