"""Which option is meant: by text, value, position or likeness; and what to say when there is none."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from msgspec import Struct

from pagehand.errors import BlockFailed, Diagnosis

MatchBy = Literal["text", "value", "index", "closest"]

_POSITION = re.compile(r"\d{1,9}", re.ASCII)
_CLOSE_ENOUGH = 0.6
_SHOWN_OPTIONS = 30
_COMPARED = 200
"""So many characters tell an option; comparing takes the product of both lengths."""


class Option(Struct, frozen=True):
    """An option of a native select or of a list that the page draws."""

    text: str
    value: str
    off: bool
    """True when it is disabled."""
    on: bool
    """True when it is chosen."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What to choose and how to tell the option."""

    wanted: Sequence[str]
    match_by: MatchBy = "text"


def place_of(options: list[Option], wanted: str, match_by: MatchBy) -> int | None:
    """Position of the wanted option; by text means the text, whatever its case, and then the value."""
    folded = " ".join(wanted.split())
    if match_by == "index":
        return int(folded) if _POSITION.fullmatch(folded) and int(folded) < len(options) else None
    texts, values = [option.text for option in options], [option.value for option in options]
    if match_by == "value":
        return values.index(wanted) if wanted in values else None
    lowered = [text.casefold() for text in texts]
    for names, name in ((texts, folded), (lowered, folded.casefold()), (values, wanted)):
        if name in names:
            return names.index(name)
    return _closest(lowered, folded.casefold()) if match_by == "closest" else None


async def find_place(options: list[Option], wanted: str, match_by: MatchBy) -> int | None:
    """As `place_of`; likeness to very many options is compared in a thread."""
    if match_by == "closest":
        return await asyncio.to_thread(place_of, options, wanted, match_by)
    return place_of(options, wanted, match_by)


def demand_enabled(option: Option) -> None:
    """Fail on an option that cannot be chosen."""
    if option.off:
        raise BlockFailed(f"The option `{option.text}` is disabled")


def no_such_option(wanted: str, options: list[Option]) -> BlockFailed:
    """The failure that lists the options there are."""
    names = [f"`{option.text or option.value}`" for option in options]
    more = f" and {len(names) - _SHOWN_OPTIONS} more" if len(names) > _SHOWN_OPTIONS else ""
    offered = ", ".join(names[:_SHOWN_OPTIONS]) + more if names else "none"
    return BlockFailed(
        f"There is no option `{wanted}`; the options are: {offered}",
        Diagnosis(
            expected=f"an option `{wanted}`",
            found=f"the options {offered}",
            advice='Use one of the options, or `matchBy: "closest"`.',
        ),
    )


def _closest(texts: list[str], wanted: str) -> int | None:
    """The most similar text; nothing when none is near, or when two are equally near."""
    likeness = [_likeness(wanted, text[:_COMPARED]) for text in texts]
    best = max(likeness, default=0.0)
    return likeness.index(best) if best >= _CLOSE_ENOUGH and likeness.count(best) == 1 else None


def _likeness(wanted: str, text: str) -> float:
    if wanted and wanted in text:
        return 1.0
    pair = SequenceMatcher(None, wanted[:_COMPARED], text)
    # the quick answer is never below the true one, and settles most of a long list
    return pair.ratio() if pair.real_quick_ratio() >= _CLOSE_ENOUGH <= pair.quick_ratio() else 0.0
