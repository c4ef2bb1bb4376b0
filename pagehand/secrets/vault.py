"""The vault: encrypts what must stay secret, for exactly the place where it is kept.

AES-256-GCM. Every sealed value has a data key of its own, derived (HKDF-SHA256) from the master key, the
organization and a random salt that travels in the header, so that no table of wrapped keys has to be kept
in step with the rows. The place (organization, table, row, field) and the header are associated data: a
sealed value that is copied anywhere else does not open.

    version 1 byte | master key id 8 bytes | salt 16 bytes | nonce 12 bytes | ciphertext and tag

The key id lets values of an earlier master key open while they are being sealed anew.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from pagehand.errors import OurFault
from pagehand.secrets.masks import HIDDEN
from pagehand.secrets.master_key import MasterKey

_VERSION: Final = b"\x01"
_KEY_ID_BYTES: Final = 8
_SALT_BYTES: Final = 16
_NONCE_BYTES: Final = 12
_HEADER_BYTES: Final = len(_VERSION) + _KEY_ID_BYTES + _SALT_BYTES


class Secret:
    """A text that prints as `***`; whoever needs it has to ask with `reveal`."""

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
class Place:
    """Where a sealed value is kept; it opens nowhere else."""

    organization_id: str
    table: str
    row: str
    field: str

    def encoded(self) -> bytes:
        """The parts with their lengths, so that no two places read alike."""
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
        """Seal with `master`, open what `earlier` sealed, too; `changed` gives the keys when they change."""
        self._changed = changed
        self._take((master, *earlier))

    def seal(self, plain: bytes, place: Place) -> bytes:
        """Encrypt `plain` for `place`."""
        self._look()
        # a data key per value: a nonce that repeats by chance is then harmless
        header = _VERSION + self._master.id + os.urandom(_SALT_BYTES)
        nonce = os.urandom(_NONCE_BYTES)
        cipher = _cipher(self._master, header, place)
        return header + nonce + cipher.encrypt(nonce, plain, header + place.encoded())

    def open(self, sealed: bytes, place: Place) -> bytes:
        """Decrypt what was sealed for `place`; `OurFault` when it was altered, moved or has another key."""
        header, rest = sealed[:_HEADER_BYTES], sealed[_HEADER_BYTES:]
        nonce, encrypted = rest[:_NONCE_BYTES], rest[_NONCE_BYTES:]
        # another process may have rotated the key a moment ago
        if header[len(_VERSION) : len(_VERSION) + _KEY_ID_BYTES] not in self._keys:
            self._look()
        key = self._keys.get(header[len(_VERSION) : len(_VERSION) + _KEY_ID_BYTES])
        if header[: len(_VERSION)] != _VERSION or key is None:
            raise OurFault(
                f"`{place.table}.{place.field}` of `{place.row}` was encrypted with another master key: "
                "start the service with the master key it was written with."
            )
        try:
            return _cipher(key, header, place).decrypt(nonce, encrypted, header + place.encoded())
        except (InvalidTag, ValueError) as error:
            raise OurFault(
                f"`{place.table}.{place.field}` of `{place.row}` cannot be decrypted: "
                "it was altered, or moved here from another row."
            ) from error

    def is_current(self, sealed: bytes) -> bool:
        """True when the present master key sealed it; else it wants sealing anew."""
        return sealed[len(_VERSION) : len(_VERSION) + _KEY_ID_BYTES] == self._master.id

    def _look(self) -> None:
        """Take notice of a key that has changed while we run."""
        keys = self._changed()
        if keys:
            self._take(keys)

    def _take(self, keys: Sequence[MasterKey]) -> None:
        self._master = keys[0]
        self._keys = {key.id: key for key in keys}


def _cipher(key: MasterKey, header: bytes, place: Place) -> AESGCM:
    salt = header[-_SALT_BYTES:]
    purpose = b"organization data key " + place.organization_id.encode()
    return AESGCM(HKDF(algorithm=SHA256(), length=32, salt=salt, info=purpose).derive(key.material))
