"""Names in the markup: classes, ids and attributes, without those that only style."""

import re
from collections.abc import Iterable

_STYLING = re.compile(
    r".*\d.*|.{1,2}|.*[:/\[\]].*|(?:text|bg|font|flex|grid|col|row|btn|mt|mb|px|py|is|has|js|fa|border|align|"
    r"justify|d|w|h|p|m|float|rounded|shadow|display|position|table|card|list|item|badge|icon)(?:-.*)?",
    re.IGNORECASE | re.DOTALL,
)
_NAMED_ITEM = re.compile(
    r"(?:card|list|item|table)-(?!(?:body|header|footer|group|item|responsive|content)$)\w.*"
)


def descriptive_names(names: Iterable[str]) -> list[str]:
    """The names that may describe the content of an element."""
    return [name for name in names if _NAMED_ITEM.fullmatch(name) or not _STYLING.fullmatch(name)]
