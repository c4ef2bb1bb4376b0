"""The master key: the operator's secret from which every other key is derived."""

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
    """32 secret bytes; prints only its id."""

    def __init__(self, material: bytes) -> None:
        if len(material) != _KEY_BYTES:
            raise UserMistake(f"The master key must be {_HOW_TO_MAKE}; it has {len(material)} bytes.")
        self.material = material
        self.id = hashlib.sha256(b"pagehand master key id\0" + material).digest()[:8]

    def __repr__(self) -> str:
        return f"MasterKey({self.id.hex()})"

    def subkey(self, purpose: str) -> bytes:
        """32 bytes for one purpose (`file urls`, `api keys` …); they reveal nothing about the others."""
        return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose.encode()).derive(self.material)


def load_master_keys(settings: Settings) -> list[MasterKey]:
    """The current key, then earlier ones: from the settings, or else from the file in the data folder."""
    if settings.master_key is None:
        return load_key_file(settings.data_dir)
    before = settings.previous_master_keys
    texts = [settings.master_key.get_secret_value(), *(before.get_secret_value() if before else "").split()]
    return [MasterKey(_decode(text, "`PAGEHAND_MASTER_KEY`")) for text in texts]


def load_key_file(data_dir: Path) -> list[MasterKey]:
    """The keys of the file, the current one first; creates the file if there is none."""
    path = data_dir / FILE_NAME
    if not path.exists():
        _create(path)
    _refuse_if_others_can_read(path)
    lines = path.read_text(encoding="ascii", errors="replace").split("\n")
    keys = [MasterKey(_decode(line, f"The file `{FILE_NAME}`")) for line in lines if line.strip()]
    if not keys:
        raise UserMistake(f"The file `{FILE_NAME}` must hold {_HOW_TO_MAKE}.")
    return keys


def add_master_key(data_dir: Path) -> None:
    """Put a new key before the current one in the file; older ones go, because no value needs them."""
    present = load_key_file(data_dir)[0]
    write_key_file(data_dir, [MasterKey(secrets.token_bytes(_KEY_BYTES)), present])


def write_key_file(data_dir: Path, keys: Sequence[MasterKey]) -> None:
    """Replace the keys of the file, the current one first."""
    path = data_dir / FILE_NAME
    temporary = _write_temporary(path, key_lines(keys))
    # a rename is atomic: a file half written in a crash would lose every secret
    temporary.replace(path)


def key_lines(keys: Sequence[MasterKey]) -> bytes:
    """The keys as the file has them, one per line."""
    return b"".join(base64.b64encode(key.material) + b"\n" for key in keys)


def watch_key_file(data_dir: Path) -> Callable[[], list[MasterKey] | None]:
    """A function that returns the file's keys if the file has changed since the last call, else None."""
    path = data_dir / FILE_NAME
    seen = _stamp(path)

    def read_if_changed() -> list[MasterKey] | None:
        nonlocal seen
        now = _stamp(path)
        if now == seen:
            return None
        seen = now
        return load_key_file(data_dir)

    return read_if_changed


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_ino


def _decode(text: str, source: str) -> bytes:
    compact = "".join(text.split())
    try:
        # hex has 64 digits and base64 44 characters, so the length distinguishes them
        if len(compact) == 2 * _KEY_BYTES:
            return bytes.fromhex(compact)
        decoded = base64.b64decode(compact.translate(str.maketrans("-_", "+/")) + "==", validate=False)
    except (binascii.Error, ValueError) as error:
        raise UserMistake(f"{source} must hold {_HOW_TO_MAKE}.") from error
    if len(decoded) != _KEY_BYTES:
        raise UserMistake(f"{source} must hold {_HOW_TO_MAKE}.")
    return decoded


def _create(path: Path) -> None:
    """Write a new key atomically; of two processes the first one wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _write_temporary(path, base64.b64encode(secrets.token_bytes(_KEY_BYTES)) + b"\n")
    try:
        # unlike rename, link never replaces a key that another process has just written
        os.link(temporary, path)
    except FileExistsError:
        return
    finally:
        temporary.unlink()


def _write_temporary(path: Path, content: bytes) -> Path:
    temporary = path.with_name(f".{FILE_NAME}.{secrets.token_hex(8)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        # after a power failure there must not be values sealed with a key that was never written
        os.fsync(file.fileno())
    return temporary


def _refuse_if_others_can_read(path: Path) -> None:
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise UserMistake(f"`{path}` can be read by other users of this machine: run `chmod 600 {path}`.")
