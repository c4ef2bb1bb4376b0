"""The prompts, one Markdown file each, and the fence around text that nobody has checked."""

import re
import secrets
from functools import cache
from pathlib import Path
from typing import Final

from pagehand.errors import OurFault

_FOLDER: Final = Path(__file__).with_name("prompts")
_PLACE: Final = re.compile(r"\[\[(\w+)\]\]")


def prompt(name: str, **words: str) -> str:
    """The text of `prompts/<name>.md` with its `[[places]]` filled in, once."""
    return _PLACE.sub(lambda place: _word(name, place[1], words), _text(name)).strip()


def fenced(material: str, longest: int) -> str:
    """`material` between marks that it cannot contain by chance or by intent, cut where it is too long."""
    mark = secrets.token_hex(6)
    cut = material[:longest]
    if len(material) > longest:
        cut += f"\n[{len(material) - longest} more characters are not shown]"
    return f"<<<material {mark}>>>\n{cut}\n<<<end of material {mark}>>>"


@cache
def _text(name: str) -> str:
    return (_FOLDER / f"{name}.md").read_text(encoding="utf-8")


def _word(name: str, place: str, words: dict[str, str]) -> str:
    if place not in words:
        raise OurFault(f"the prompt `{name}` wants `{place}`, and it was not given")
    return words[place]
