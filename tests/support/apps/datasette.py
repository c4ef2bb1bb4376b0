"""Datasette over a database of 240 rivers in `rivers.db`, open to everyone. Option: `port`."""

# ruff: noqa: E402 - the path has to be set before anything is imported
# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalCall=false
# (the library has no type hints)

import json
import socket
import sqlite3
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[2])  # this file is called like the package it starts

import uvicorn
from datasette.app import Datasette

from support.apps import report_ready

FOLDER = Path(sys.argv[1])
COUNTRIES = ("Austria", "Brazil", "Chad", "Denmark")


def make_database() -> Path:
    """Rivers whose length rises with their number."""
    path = FOLDER / "rivers.db"
    with sqlite3.connect(path) as database:
        database.execute(
            "create table rivers (id integer primary key, name text, country text, length integer)"
        )
        database.executemany(
            "insert into rivers values (?, ?, ?, ?)",
            ((n, f"River {n:03}", COUNTRIES[n % 4], n * 7) for n in range(1, 241)),
        )
    database.close()
    return path


application = Datasette([str(make_database())], settings={"default_page_size": 50}).app()
listening = socket.create_server(("127.0.0.1", json.loads(sys.argv[2]).get("port", 0)))
report_ready(FOLDER, f"http://127.0.0.1:{listening.getsockname()[1]}")
uvicorn.run(application, fd=listening.fileno(), log_level="error")
