"""What blocks need from the rest of the house, as Protocols, by the room that gives it."""

from pagehand.ports.cache import BlockCache
from pagehand.ports.files import Documents, FilePlace, KeepFile, Knowledge, RunFiles
from pagehand.ports.model import Achieved, Hands, Model, Talk
from pagehand.ports.outside import Http, HttpAnswer, Mail
from pagehand.ports.page import (
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
from pagehand.ports.sandbox import Sandbox

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
