"""Texts of pages and of other people, on somebody's terminal."""


def printable(text: str) -> str:
    """The text with what a terminal would obey, such as an escape sequence, shown as it is written."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape").decode()
        for letter in text
    )
