"""Patterns in which `*` stands for anything: matched in time that grows with the text, never faster."""


def matches(pattern: str, text: str) -> bool:
    """Whether all of `text` fits; every other character than `*` stands for itself."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    last = rest.pop()
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    # the leftmost place of each piece leaves most room for those behind it, so there is nothing to try again
    at, end = len(first), len(text) - len(last)
    for piece in rest:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
