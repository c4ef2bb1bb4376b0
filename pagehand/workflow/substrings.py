"""Text inside other text, where no number is part of a longer one: "5 claims" is not in "25 claims"."""

_MARKS = ".,"


def contains(text: str, wanted: str) -> bool:
    """True when `wanted` stands in `text` without cutting a number in two."""
    start = text.find(wanted)
    while start >= 0:
        if not (_cuts_before(text, start) or _cuts_after(text, start + len(wanted))):
            return True
        # the next place, as `5 claims` stands in `25 claims, 5 claims` too
        start = text.find(wanted, start + 1)
    return False


def _cuts_before(text: str, start: int) -> bool:
    before = text[max(0, start - 2) : start]
    if not text[start : start + 1].isdigit() or not before:
        return False
    return before[-1].isdigit() or (before[-1] in _MARKS and before[:1].isdigit())


def _cuts_after(text: str, end: int) -> bool:
    after = text[end : end + 2]
    if not text[end - 1 : end].isdigit() or not after:
        return False
    return after[0].isdigit() or (after[0] in _MARKS and after[1:].isdigit())
