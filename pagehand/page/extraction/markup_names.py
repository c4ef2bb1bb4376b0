"""Names that markup gives to things: classes, ids and attributes, less those that only say how they look."""

import re
from collections.abc import Iterable

_STYLING = re.compile(
    r".*\d.*|.{1,2}|.*[:/\[\]].*|(?:text|bg|font|flex|grid|col|row|btn|mt|mb|px|py|is|has|js|fa|border|align|"
    r"justify|d|w|h|p|m|float|rounded|shadow|display|position|table|card|list|item|badge|icon)(?:-.*)?",
    re.IGNORECASE,
)
_NAMED_ITEM = re.compile(
    r"(?:card|list|item|table)-(?!(?:body|header|footer|group|item|responsive|content)$)\w.*"
)


def telling_marks(marks: Iterable[str]) -> list[str]:
    """The marks that may name what they stand on."""
    return [mark for mark in marks if _NAMED_ITEM.fullmatch(mark) or not _STYLING.fullmatch(mark)]
