"""What a script cannot do."""


class NotExported(Exception):
    """A block has no counterpart in a script; the message says why."""
