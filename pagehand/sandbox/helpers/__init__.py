"""Functions that user code may call without importing anything: CSV, URLs, hashes, dates, patterns.

They run inside the sandbox like the code that calls them, under the same limits; the service itself never
calls them. So they are written in the sandbox's subset of Python, and keep no state between calls. Names that
begin with `_pagehand_` are reserved: user code cannot use them.
"""
