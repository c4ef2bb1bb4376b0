"""The master key: one secret of the operator from which every other key comes."""

import base64
import binascii
import hashlib
import os
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from pagehand.errors import UserMistake
from pagehand.settings import Settings

FILE_NAME: Final = "master.key"
_KEY_BYTES: Final = 32
_HOW_TO_MAKE: Final = "32 random bytes as base64 or hex, as `openssl rand -base64 32` prints them"


class MasterKey:
    """32 secret bytes; prints as its id alone."""

    def __init__(self, material: bytes) -> None:
        if len(material) != _KEY_BYTES:
            raise UserMistake(f"The master key must be {_HOW_TO_MAKE}; it has {len(material)} bytes.")
        self.material = material
        self.id = hashlib.sha256(b"pagehand master key id\0" + material).digest()[:8]

    def __repr__(self) -> str:
        return f"MasterKey({self.id.hex()})"

    def subkey(self, purpose: str) -> bytes:
        """32 bytes for one purpose (`file urls`, `api keys` …); knowing them tells nothing of the others."""
        return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose.encode()).derive(self.material)


def load_master_keys(settings: Settings) -> list[MasterKey]:
    """The key in use, then those before it: given by the operator, else of the file in the data folder."""
    if settings.master_key is None:
        return load_key_file(settings.data_dir)
    before = settings.previous_master_keys
    texts = [settings.master_key.get_secret_value(), *(before.get_secret_value() if before else "").split()]
    return [MasterKey(_decode(text, "`PAGEHAND_MASTER_KEY`")) for text in texts]


def load_key_file(data_dir: Path) -> list[MasterKey]:
    """The keys of the file, the one in use first; made on first use."""
    path = data_dir / FILE_NAME
    if not path.exists():
        _make(path)
    _refuse_if_others_can_read(path)
    lines = path.read_text(encoding="ascii", errors="replace").split("\n")
    keys = [MasterKey(_decode(line, f"The file `{FILE_NAME}`")) for line in lines if line.strip()]
    if not keys:
        raise UserMistake(f"The file `{FILE_NAME}` must hold {_HOW_TO_MAKE}.")
    return keys


def add_master_key(data_dir: Path) -> None:
    """Put a new key before the present one in the file; keys before that go, nothing is sealed with them."""
    present = load_key_file(data_dir)[0]
    write_key_file(data_dir, [MasterKey(secrets.token_bytes(_KEY_BYTES)), present])


def write_key_file(data_dir: Path, keys: Sequence[MasterKey]) -> None:
    """Keep these keys in the file, the one in use first, instead of those in it."""
    path = data_dir / FILE_NAME
    draft = _draft(path, key_lines(keys))
    # a rename is whole or not at all: a crash half-way would lose every secret
    draft.replace(path)


def key_lines(keys: Sequence[MasterKey]) -> bytes:
    """Keys as the file has them, one on a line."""
    return b"".join(base64.b64encode(key.material) + b"\n" for key in keys)


def changes_of_key_file(data_dir: Path) -> Callable[[], list[MasterKey] | None]:
    """A function that gives the file's keys whenever the file has changed, and None when it has not."""
    path = data_dir / FILE_NAME
    seen = _stamp(path)

    def look() -> list[MasterKey] | None:
        nonlocal seen
        now = _stamp(path)
        if now == seen:
            return None
        seen = now
        return load_key_file(data_dir)

    return look


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_ino


def _decode(text: str, source: str) -> bytes:
    compact = "".join(text.split())
    try:
        # hex has 64 digits and base64 44 signs, so the length distinguishes them
        if len(compact) == 2 * _KEY_BYTES:
            return bytes.fromhex(compact)
        decoded = base64.b64decode(compact.translate(str.maketrans("-_", "+/")) + "==", validate=False)
    except (binascii.Error, ValueError) as error:
        raise UserMistake(f"{source} must hold {_HOW_TO_MAKE}.") from error
    if len(decoded) != _KEY_BYTES:
        raise UserMistake(f"{source} must hold {_HOW_TO_MAKE}.")
    return decoded


def _make(path: Path) -> None:
    """Write a new key so that it is there whole or not at all, and the first of two processes wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = _draft(path, base64.b64encode(secrets.token_bytes(_KEY_BYTES)) + b"\n")
    try:
        # unlike rename, link never replaces a key that another process has just written
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink()


def _draft(path: Path, content: bytes) -> Path:
    draft = path.with_name(f".{FILE_NAME}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        # what is sealed with a key must not outlive it on a machine that loses power
        os.fsync(file.fileno())
    return draft


def _refuse_if_others_can_read(path: Path) -> None:
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise UserMistake(f"`{path}` can be read by other users of this machine: run `chmod 600 {path}`.")
