"""What blocks need from the rest of the house, as Protocols, by the room that gives it."""

from pagehand.blocks.ports.cache import BlockCache
from pagehand.blocks.ports.files import Documents, FilePlace, KeepFile, Knowledge, RunFiles
from pagehand.blocks.ports.model import Achieved, Hands, Model, Talk
from pagehand.blocks.ports.outside import Http, HttpAnswer, Mail
from pagehand.blocks.ports.page import (
    Action,
    CaptchaSolver,
    Dialog,
    Found,
    HeldBack,
    PageSession,
    Press,
    Purpose,
    Starter,
)
from pagehand.blocks.ports.sandbox import Sandbox

__all__ = [
    "Achieved",
    "Action",
    "BlockCache",
    "CaptchaSolver",
    "Dialog",
    "Documents",
    "FilePlace",
    "Found",
    "Hands",
    "HeldBack",
    "Http",
    "HttpAnswer",
    "KeepFile",
    "Knowledge",
    "Mail",
    "Model",
    "PageSession",
    "Press",
    "Purpose",
    "RunFiles",
    "Sandbox",
    "Starter",
    "Talk",
]
