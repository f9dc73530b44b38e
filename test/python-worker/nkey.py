"""Signs with the nkey of a NATS user: Ed25519 (RFC 8032) in the standard library, for a few signatures an hour.

A worker for daily use takes a library, as python3-nacl: this arithmetic takes milliseconds and does not hide its timing.
"""

import base64
import binascii
import hashlib

FIELD = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, -1, FIELD) % FIELD
# A seed's first two bytes say that it is one, and of a user; the last two are a checksum.
SEED_BYTES = slice(2, 34)
PUBLIC_USER = bytes([20 << 3])


class UserKey:
    """`seed`: the `SU…` of a credentials file."""

    def __init__(self, seed: str):
        raw = base64.b32decode(seed + "=" * (-len(seed) % 8))
        digest = hashlib.sha512(raw[SEED_BYTES]).digest()
        self._secret = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | 1 << 254
        self._prefix = digest[32:]
        self._public = encoded(times(self._secret, BASE))
        named = PUBLIC_USER + self._public
        checked = named + binascii.crc_hqx(named, 0).to_bytes(2, "little")
        self.public = base64.b32encode(checked).rstrip(b"=").decode()

    def sign(self, message: bytes) -> str:
        """The signature as CONNECT carries it."""
        nonce = number(self._prefix + message) % ORDER
        commitment = encoded(times(nonce, BASE))
        proof = (nonce + number(commitment + self._public + message) * self._secret) % ORDER
        return base64.urlsafe_b64encode(commitment + proof.to_bytes(32, "little")).rstrip(b"=").decode()


def number(data: bytes) -> int:
    return int.from_bytes(hashlib.sha512(data).digest(), "little")


def added(p, q):
    """Points of the curve -x² + y² = 1 + CURVE·x²·y² as (X, Y, Z, T) with x = X/Z, y = Y/Z, x·y = T/Z."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % FIELD
    b = (p[1] + p[0]) * (q[1] + q[0]) % FIELD
    c = 2 * p[3] * q[3] * CURVE % FIELD
    d = 2 * p[2] * q[2] % FIELD
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % FIELD, g * h % FIELD, f * g % FIELD, e * h % FIELD


def times(factor: int, point):
    total = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            total = added(total, point)
        point = added(point, point)
        factor >>= 1
    return total


def encoded(point) -> bytes:
    inverse = pow(point[2], -1, FIELD)
    x, y = point[0] * inverse % FIELD, point[1] * inverse % FIELD
    return (y | (x & 1) << 255).to_bytes(32, "little")


def root(square: int) -> int:
    """The even one of the two square roots."""
    candidate = pow(square, (FIELD + 3) // 8, FIELD)
    if candidate * candidate % FIELD != square:
        candidate = candidate * pow(2, (FIELD - 1) // 4, FIELD) % FIELD
    return candidate if candidate % 2 == 0 else FIELD - candidate


def base_point():
    y = 4 * pow(5, -1, FIELD) % FIELD
    x = root((y * y - 1) * pow(CURVE * y * y + 1, -1, FIELD) % FIELD)
    return x, y, 1, x * y % FIELD


BASE = base_point()
