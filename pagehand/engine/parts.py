"""The concrete things the engine works with, picked by `assemble`."""

from collections.abc import Callable
from dataclasses import dataclass

from pagehand.blocks import Registry
from pagehand.blocks.ports import Sandbox
from pagehand.engine.needs import FileBytes, Logins, OpenBrowser, Redactor, Stores
from pagehand.engine.run_files import DescribeFile
from pagehand.settings import Settings


@dataclass(slots=True, kw_only=True)
class EngineParts:
    """What every run needs."""

    settings: Settings
    stores: Stores
    file_bytes: FileBytes
    describe_file: DescribeFile
    kinds: Registry
    sandbox: Sandbox
    open_browser: OpenBrowser
    logins: Logins
    new_redactor: Callable[[], Redactor]
