"""The visible text of HTML, with each block on its own line."""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_HIDDEN: Final = "script, style, template, noscript, head, svg, [hidden]"
_BLOCKS: Final = frozenset(
    re.findall(
        r"\w+",
        """address article aside blockquote br caption dd div dl dt fieldset figure footer form h1 h2 h3 h4
        h5 h6 header hr legend li main nav ol p pre section table tbody tfoot thead title tr ul""",
    )
)


def shown_body(parser: LexborHTMLParser) -> LexborNode | None:
    """The body without hidden elements; changes the parsed page."""
    parser.strip_tags(["script", "style", "template", "noscript", "head", "svg"])
    for node in parser.css(_HIDDEN):
        node.decompose()
    return parser.body


def text_in(root: LexborNode) -> str:
    """Text in lines: a block begins a new line, cells of a row are separated by tabs."""
    pieces: list[str] = []
    for node in root.traverse(include_text=True):
        if node.tag == "-text":
            pieces.append(re.sub(r"\s+", " ", node.text_content or ""))
        elif node.tag in ("td", "th"):
            pieces.append("\t")
        elif node.tag in _BLOCKS:
            pieces.append("\n")
        if node.child is None and _closes_block(node):
            pieces.append("\n")
    lines = (re.sub(r"[ \xa0]+", " ", line).strip() for line in "".join(pieces).splitlines())
    return "\n".join(line for line in lines if line)


def text_of(html: str) -> str:
    """The visible text of an HTML page or mail."""
    body = shown_body(LexborHTMLParser(html))
    return text_in(body) if body is not None else ""


def _closes_block(node: LexborNode) -> bool:
    """Whether a node is the last one in a block."""
    while node.next is None and (above := node.parent) is not None:
        if above.tag in _BLOCKS:
            return True
        node = above
    return False
