"""Formulas as MathML, which browsers draw without a script, so that the pages also read well without a network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml

FENCES = re.compile(r"<mo( class=\"\w+\")?>(?=[‖⟨⟩|]</mo>)")
NAMED_FUNCTIONS = re.compile(r"<mo>(?=&ApplyFunction;</mo>\s*<m[is])")


def inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(formula(node.astext(), as_block=False))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula" tabindex="0">{formula(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def formula(latex: str, as_block: bool) -> str:
    """What docutils makes of it; norms and brackets keep the size of a letter, and "tr M" has a space, as in LaTeX."""
    mathml = FENCES.sub(r'<mo\1 stretchy="false" lspace="0" rspace="0">', latex2mathml.tex2mathml(latex, as_block=as_block))
    return NAMED_FUNCTIONS.sub('<mo rspace="0.17em">', mathml)


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
