"""Runs code that users write, in separate worker processes."""

from pagehand.sandbox.python import PythonSandbox
from pagehand.sandbox.syntax import AVAILABLE_MODULES, check_syntax
