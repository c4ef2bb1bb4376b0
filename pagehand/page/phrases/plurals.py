"""English plurals: `policies` and `policy`, `boxes` and `box` are one word."""

_WHOLE_LENGTH = 3
"""Words up to this length are not plurals: `bus`, `gas`."""


def singular(word: str) -> str:
    """A word in lower case without its plural ending; `status`, `class` and `analysis` stay as they are."""
    if len(word) <= _WHOLE_LENGTH or not word.isascii() or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > _WHOLE_LENGTH + 1:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "tuses", "nuses", "puses", "ruses")):
        return word[:-2]
    return word.removesuffix("s")
