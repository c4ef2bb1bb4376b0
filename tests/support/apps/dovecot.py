"""A real IMAP server (Dovecot) on loopback, and an SMTP server in front of its one mailbox.

Installed with apt where we are root on Debian; elsewhere tests that need it are skipped.
"""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from support.service import free_port

USERNAME, PASSWORD = "codes@site.test", "mailbox-password"
_OWNER = "mail"


@dataclass(slots=True, frozen=True)
class MailServer:
    """Where to read and where to send."""

    imap_port: int
    smtp_port: int


class _Deliver:
    """Puts every mail into the mailbox, whatever its recipient."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        del server, session
        self._count += 1
        draft = self._folder / "tmp" / f"{time.time_ns()}.{self._count}.test"
        draft.write_bytes(envelope.original_content)
        _give_away(draft)
        draft.rename(self._folder / "new" / draft.name)
        return "250 OK"


@contextmanager
def mail_server() -> Generator[MailServer]:
    """Dovecot with one account (`USERNAME`, `PASSWORD`), which gets all mail sent to the SMTP port."""
    _install()
    # not in pytest's folders, which are closed to the user whose mail it is
    with tempfile.TemporaryDirectory(prefix="pagehand-mail-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield from _serving(folder)


def _serving(folder: Path) -> Generator[MailServer]:
    box = folder / "Maildir"
    for name in ("", "new", "cur", "tmp"):
        (box / name).mkdir(parents=True, exist_ok=True)
        _give_away(box / name)
    server = MailServer(free_port(), free_port())
    config = folder / "dovecot.conf"
    config.write_text(_config(folder, box, server.imap_port))
    process = subprocess.Popen(["dovecot", "-F", "-c", str(config)], stderr=subprocess.DEVNULL)  # noqa: S603, S607 - the installed server
    delivering = Controller(_Deliver(box), hostname="127.0.0.1", port=server.smtp_port)
    delivering.start()
    try:
        _wait_until_it_answers(server.imap_port)
        yield server
    finally:
        delivering.stop()
        process.terminate()
        process.wait(20)


def _install() -> None:
    if shutil.which("dovecot"):
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        pytest.skip("needs Dovecot: install it with `apt-get install dovecot-imapd`")
    command = ["apt-get", "install", "-y", "--no-install-recommends", "dovecot-imapd"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)  # noqa: S603 - as above
    if done.returncode != 0:
        pytest.skip(f"Dovecot cannot be installed here: {done.stderr[-300:]}")


def _give_away(path: Path) -> None:
    if os.geteuid() == 0:
        owner = pwd.getpwnam(_OWNER)
        os.chown(path, owner.pw_uid, owner.pw_gid)


def _config(folder: Path, box: Path, port: int) -> str:
    return f"""
protocols = imap
listen = 127.0.0.1
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
ssl = no
disable_plaintext_auth = no
mail_location = maildir:{box}
mail_uid = {_OWNER}
mail_gid = {_OWNER}
first_valid_uid = 1
passdb {{
  driver = static
  args = password={PASSWORD}
}}
userdb {{
  driver = static
  args = uid={_OWNER} gid={_OWNER} home={folder}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
}}
"""


def _wait_until_it_answers(port: int) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 2) as connection:
            if connection.recv(10).startswith(b"* OK"):
                return
        time.sleep(0.1)
    raise AssertionError("Dovecot does not answer")
