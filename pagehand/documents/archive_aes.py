"""Decrypts AES-encrypted members of a zip archive, as WinZip and 7-Zip write them.

The format: https://www.winzip.com/en/support/aes-encryption/
Written here because pyzipper copies the standard library's zipfile and needs a second library of ciphers.
"""

import hashlib
import hmac
import struct
import zipfile
import zlib
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

_METHOD: Final = 99
_EXTRA: Final = 0x9901
_LOCAL_HEADER: Final = 30
_ROUNDS: Final = 1000
_CHECK_BYTES: Final = 2
_CODE_BYTES: Final = 10
_BLOCK: Final = 16
_CHUNK: Final = 4096 * _BLOCK


class WrongPassword(Exception):
    """The password does not open it."""


def is_aes(member: zipfile.ZipInfo) -> bool:
    """Whether a member is encrypted with AES."""
    return member.compress_type == _METHOD


def read(content: bytes, member: zipfile.ZipInfo, password: bytes) -> bytes:
    """The unpacked member; `BadZipFile` if its authentication code does not match."""
    strength, method = _encryption(member)
    key_bytes, salt_bytes = 8 * (strength + 1), 4 * (strength + 1)
    packed = _packed(content, member)
    salt, check = packed[:salt_bytes], packed[salt_bytes : salt_bytes + _CHECK_BYTES]
    body, code = packed[salt_bytes + _CHECK_BYTES : -_CODE_BYTES], packed[-_CODE_BYTES:]
    keys = hashlib.pbkdf2_hmac("sha1", password, salt, _ROUNDS, 2 * key_bytes + _CHECK_BYTES)
    # two bytes: one wrong password in 65,536 passes; the authentication code below refuses it
    if not hmac.compare_digest(keys[-_CHECK_BYTES:], check):
        raise WrongPassword
    expected = hmac.digest(keys[key_bytes : 2 * key_bytes], body, "sha1")[:_CODE_BYTES]
    if not hmac.compare_digest(expected, code):
        raise zipfile.BadZipFile("its authentication code does not match")
    plain = _decrypt(body, keys[:key_bytes])
    return _unpack(plain, method, member.file_size)


def _encryption(member: zipfile.ZipInfo) -> tuple[int, int]:
    """Strength (1 to 3) and the method it was packed with, from the member's extra field."""
    extra = member.extra
    while len(extra) >= 4:  # noqa: PLR2004 - an id and a length
        kind, length = struct.unpack_from("<HH", extra)
        if kind == _EXTRA and length >= 7 and len(extra) >= 11:  # noqa: PLR2004 - the format's own size
            _, _, strength, method = struct.unpack_from("<H2sBH", extra, 4)
            if strength in (1, 2, 3):
                return strength, method
        extra = extra[4 + length :]
    raise zipfile.BadZipFile("it does not say how it is encrypted")


def _packed(content: bytes, member: zipfile.ZipInfo) -> bytes:
    header = content[member.header_offset : member.header_offset + _LOCAL_HEADER]
    if len(header) < _LOCAL_HEADER:
        raise zipfile.BadZipFile("its header is cut off")
    name_bytes, extra_bytes = struct.unpack_from("<HH", header, 26)
    start = member.header_offset + _LOCAL_HEADER + name_bytes + extra_bytes
    return content[start : start + member.compress_size]


def _decrypt(body: bytes, key: bytes) -> bytes:
    """Counter mode that counts from 1 with the low byte first, which libraries do not offer."""
    # every block of the counter is different, so ECB is only the block cipher here
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305 - see above
    pieces: list[bytes] = []
    for start in range(0, len(body), _CHUNK):
        chunk = body[start : start + _CHUNK]
        first = start // _BLOCK + 1
        counters = b"".join(
            at.to_bytes(_BLOCK, "little") for at in range(first, first + -(-len(chunk) // _BLOCK))
        )
        stream = cipher.update(counters)[: len(chunk)]
        mixed = int.from_bytes(chunk, "big") ^ int.from_bytes(stream, "big")
        pieces.append(mixed.to_bytes(len(chunk), "big"))
    return b"".join(pieces)


def _unpack(plain: bytes, method: int, size: int) -> bytes:
    if method == zipfile.ZIP_STORED:
        return plain
    if method != zipfile.ZIP_DEFLATED:
        raise NotImplementedError(f"it is packed by method {method}")
    # one byte more than announced is enough to detect a wrong size
    unpacked = zlib.decompressobj(-15).decompress(plain, size + 1)
    if len(unpacked) != size:
        raise zipfile.BadZipFile("it is not as long as it says")
    return unpacked
