"""What Pagehand remembers: one store per noun, over SQLite or PostgreSQL."""

from pagehand.storage.accept_limits import AcceptLimits
from pagehand.storage.database import Database
from pagehand.storage.execution_list import ExecutionFilter, ExecutionPage
from pagehand.storage.stores import Stores

__all__ = ["AcceptLimits", "Database", "ExecutionFilter", "ExecutionPage", "Stores"]
