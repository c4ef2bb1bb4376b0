"""The prompts, one Markdown file each, and the fence around untrusted text."""

import re
import secrets
from functools import cache
from pathlib import Path
from typing import Final

from pagehand.errors import OurFault

_FOLDER: Final = Path(__file__).with_name("prompts")
_PLACEHOLDER: Final = re.compile(r"\[\[(\w+)\]\]")


def prompt(name: str, **words: str) -> str:
    """The text of `prompts/<name>.md` with its `[[placeholders]]` filled in, once."""
    return _PLACEHOLDER.sub(lambda found: _value(name, found[1], words), _text(name)).strip()


def fence(material: str, longest: int) -> str:
    """`material` between marks that it cannot contain, cut to `longest` characters."""
    mark = secrets.token_hex(6)
    cut = material[:longest]
    if len(material) > longest:
        cut += f"\n[{len(material) - longest} more characters are not shown]"
    return f"<<<material {mark}>>>\n{cut}\n<<<end of material {mark}>>>"


@cache
def _text(name: str) -> str:
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8")


def _value(name: str, placeholder: str, words: dict[str, str]) -> str:
    if placeholder not in words:
        raise OurFault(f"The prompt `{name}` needs `{placeholder}`, which is missing.")
    return words[placeholder]
