"""The vault: encrypts secrets, each for the one location where it is kept.

AES-256-GCM. Every sealed value has its own data key, derived (HKDF-SHA256) from the master key, the
organization and a random salt in the header, so there is no table of wrapped keys to keep in step with the
rows. The location (organization, table, row, field) and the header are associated data: a
sealed value that is copied anywhere else does not open.

    version 1 byte | master key id 8 bytes | salt 16 bytes | nonce 12 bytes | ciphertext and tag

By the key id, values of an earlier master key still open while they are sealed with the new one.
"""

import base64
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from pagehand.errors import OurFault
from pagehand.records import Json
from pagehand.secrets.master_key import MasterKey

_VERSION: Final = b"\x01"
_KEY_ID_BYTES: Final = 8
_SALT_BYTES: Final = 16
_NONCE_BYTES: Final = 12
_HEADER_BYTES: Final = len(_VERSION) + _KEY_ID_BYTES + _SALT_BYTES
HIDDEN: Final = "***"
"""In texts, events, templates and page descriptions."""
KEPT: Final = "********"
"""In API responses, for a stored value; a client that sends it back keeps that value."""


class Secret:
    """A text that prints as `***`; `reveal` gives it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself: only to type it, to send it as authentication or to compute a code."""
        return self._text

    def __repr__(self) -> str:
        return HIDDEN

    __str__ = __repr__

    def __format__(self, format_spec: str) -> str:
        return format(HIDDEN, format_spec)

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> str:
        raise TypeError("A secret is not pickled: it would leave the process in plain text.")


@dataclass(frozen=True, slots=True)
class FieldLocation:
    """The field of a row in which a sealed value is kept; it opens nowhere else."""

    organization_id: str
    table: str
    row: str
    field: str

    def __str__(self) -> str:
        return f"`{self.table}.{self.field}` of `{self.row}`"

    def encoded(self) -> bytes:
        """The parts with their lengths, so that two locations never have the same bytes."""
        parts = [part.encode() for part in (self.organization_id, self.table, self.row, self.field)]
        return b"".join(len(part).to_bytes(4) + part for part in parts)


class Vault:
    """Seals and opens values under the operator's master key."""

    def __init__(
        self,
        master: MasterKey,
        *earlier: MasterKey,
        changed: Callable[[], Sequence[MasterKey] | None] = lambda: None,
    ) -> None:
        """Seal with `master`, also open what `earlier` sealed; `changed` returns new keys after a change."""
        self._changed = changed
        self._use_keys((master, *earlier))

    def seal(self, plain: bytes, location: FieldLocation) -> bytes:
        """Encrypt `plain` for `location`."""
        self._reload_keys()
        # a data key per value: a nonce that repeats by chance is then harmless
        header = _VERSION + self._master.id + os.urandom(_SALT_BYTES)
        nonce = os.urandom(_NONCE_BYTES)
        cipher = _cipher(self._master, header, location)
        return header + nonce + cipher.encrypt(nonce, plain, header + location.encoded())

    def open(self, sealed: bytes, location: FieldLocation) -> bytes:
        """Decrypt what was sealed for `location`; `OurFault` if it was altered, moved or has another key."""
        header, rest = sealed[:_HEADER_BYTES], sealed[_HEADER_BYTES:]
        nonce, encrypted = rest[:_NONCE_BYTES], rest[_NONCE_BYTES:]
        key_id = _key_id(sealed)
        # another process may have rotated the key a moment ago
        if key_id not in self._keys:
            self._reload_keys()
        key = self._keys.get(key_id)
        if header[: len(_VERSION)] != _VERSION or key is None:
            raise OurFault(
                f"{location} was encrypted with another master key: start the service "
                "with the master key it was written with."
            )
        try:
            return _cipher(key, header, location).decrypt(nonce, encrypted, header + location.encoded())
        except (InvalidTag, ValueError) as error:
            raise OurFault(
                f"{location} cannot be decrypted: it was altered, or moved here from another row."
            ) from error

    def is_current(self, sealed: bytes) -> bool:
        """Whether the current master key sealed it; False when it should be sealed again."""
        return _key_id(sealed) == self._master.id

    def _reload_keys(self) -> None:
        """Use the keys of a key file that has changed since the last call."""
        keys = self._changed()
        if keys:
            self._use_keys(keys)

    def _use_keys(self, keys: Sequence[MasterKey]) -> None:
        self._master = keys[0]
        self._keys = {key.id: key for key in keys}


def _key_id(sealed: bytes) -> bytes:
    return sealed[len(_VERSION) : len(_VERSION) + _KEY_ID_BYTES]


def _cipher(key: MasterKey, header: bytes, location: FieldLocation) -> AESGCM:
    salt = header[-_SALT_BYTES:]
    purpose = b"organization data key " + location.organization_id.encode()
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=salt, info=purpose).derive(key.material))


FIELD = "secret_params"


class SecretParamsRow(Protocol):
    """An execution or a schedule, as far as its secret parameters go."""

    id: str
    organization_id: str
    secret_params: str | None


class SecretParams:
    """Seals and opens the secret parameters of the rows of one table."""

    def __init__(self, vault: Vault, table: str = "executions") -> None:
        self._vault = vault
        self._table = table

    def seal(self, row: SecretParamsRow, values: Json) -> str:
        """Encrypt values for this row."""
        return base64.b64encode(self._vault.seal(orjson.dumps(values), self._location(row))).decode()

    def open(self, row: SecretParamsRow) -> Json:
        """The values sealed for this row; empty when it has none."""
        if row.secret_params is None:
            return {}
        plain = self._vault.open(base64.b64decode(row.secret_params), self._location(row))
        return orjson.loads(plain)

    def _location(self, row: SecretParamsRow) -> FieldLocation:
        return FieldLocation(row.organization_id, self._table, row.id, FIELD)
