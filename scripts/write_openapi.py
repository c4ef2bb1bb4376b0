"""Print the OpenAPI document of this checkout, as `/openapi.json` serves it, without starting a service."""

import sys

import orjson

from pagehand.api.openapi import describe_operations
from pagehand.api.resources import operations
from pagehand.blocks import kinds

if __name__ == "__main__":
    sys.stdout.buffer.write(orjson.dumps(describe_operations(operations(), kinds())))
