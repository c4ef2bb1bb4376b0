"""The master key: one secret of the operator from which every other key comes."""

import base64
import binascii
import hashlib
import os
import secrets
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from pagehand.errors import UserMistake

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


def load_master_key(data_dir: Path, given: str | None = None) -> MasterKey:
    """The key the operator gave, else the one in the data folder, made on first use."""
    if given is not None:
        return MasterKey(_decode(given, "`PAGEHAND_MASTER_KEY`"))
    path = data_dir / FILE_NAME
    if not path.exists():
        _make(path)
    _refuse_if_others_can_read(path)
    return MasterKey(_decode(path.read_text(encoding="ascii", errors="replace"), f"The file `{FILE_NAME}`"))


def _decode(text: str, source: str) -> bytes:
    compact = "".join(text.split())
    try:
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
    draft = path.with_name(f".{FILE_NAME}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(base64.b64encode(secrets.token_bytes(_KEY_BYTES)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            # unlike rename, link never replaces a key that another process has just written
            os.link(draft, path)
        except FileExistsError:
            return
    finally:
        draft.unlink()


def _refuse_if_others_can_read(path: Path) -> None:
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise UserMistake(f"`{path}` can be read by other users of this machine: run `chmod 600 {path}`.")
