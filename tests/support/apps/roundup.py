"""The Roundup issue tracker, with the account `ada`, password `correct horse battery`."""

# ruff: noqa: E402 - the path has to be set before anything is imported
# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false, reportOptionalCall=false
# (the library has no type hints)

import json
import sys
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[2])  # this file is called like the package it starts

from roundup import configuration, instance
from roundup.admin import AdminTool
from roundup.cgi.wsgi_handler import RequestDispatcher
from roundup.password import Password

from support.apps import report_ready
from support.apps.serving import listen

FOLDER = Path(sys.argv[1])
OPTIONS = json.loads(sys.argv[2])
HOME = FOLDER / "tracker"
PASSWORD = "correct horse battery"


def make_tracker(url: str) -> None:
    """Install and initialise it, and make the account."""
    tool = AdminTool()
    tool.tracker_home = str(HOME)
    settings = f"tracker_web={url}/,mail_domain=site.test,mail_host=127.0.0.1,admin_email=a@site.test"
    tool.do_install(str(HOME), ["install", "classic", "sqlite", settings])
    configured = configuration.CoreConfig(str(HOME))
    configured["WEB_LOGIN_ATTEMPTS_MIN"] = OPTIONS.get("attempts", 30)
    configured["WEB_SECRET_KEY"] = "only for tests"
    configured.save()
    tool.do_initialise(str(HOME), ["initialise", PASSWORD])
    tracker = instance.open(str(HOME))
    database = tracker.open("admin")
    made = database.user.create(username="ada", address="ada@site.test", roles="User")
    database.user.set(made, password=Password(PASSWORD, config=database.config))
    database.commit()
    database.close()


class Late:
    """The tracker, known once its address is."""

    application: Any = None

    def __call__(self, environ: dict[str, Any], start: Any) -> Any:
        return self.application(environ, start)


late = Late()
server = listen(late)
address = f"http://127.0.0.1:{server.server_port}"
make_tracker(address)
late.application = RequestDispatcher(str(HOME))
report_ready(FOLDER, address, password=PASSWORD)
server.serve_forever()
