"""One module per block kind; the registry imports every module it finds here."""

import sys
from functools import cache

from pagehand.blocks.registry import Registry, discover
from pagehand.blocks.schema import description, envelope_schema, examples


@cache
def kinds() -> Registry:
    """All kinds there are; the modules are loaded on the first call."""
    return Registry(discover(sys.modules[__name__]))
