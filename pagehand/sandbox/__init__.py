"""Runs code that users write, in workers of its own."""

from pagehand.sandbox.program import AVAILABLE_MODULES, check_syntax
from pagehand.sandbox.python import PythonSandbox

__all__ = ["AVAILABLE_MODULES", "PythonSandbox", "check_syntax"]
