"""Limits of what pages may ask for, by page, by seat and by address."""

from __future__ import annotations

import ipaddress
import time
from collections import Counter

#: Addresses after which those that have done nothing lately are forgotten.
_MANY = 10_000


class Bucket:
    """A bucket that fills at `rate` per second and holds `burst`; whatever is done takes something out of it."""

    __slots__ = ("burst", "left", "rate", "since")

    def __init__(self, rate: float, burst: float):
        self.rate, self.burst = rate, burst
        self.left, self.since = burst, time.monotonic()

    def fill(self) -> float:
        """Fill it up to now; returns what is in it."""
        now = time.monotonic()
        self.left = min(self.burst, self.left + self.rate * (now - self.since))
        self.since = now
        return self.left

    def take(self, amount: float = 1.0) -> bool:
        """Take something out of it, or refuse where there is not enough."""
        if self.fill() < amount:
            return False
        self.left -= amount
        return True


class Addresses:
    """A bucket for each address."""

    def __init__(self, rate: float, burst: float):
        self._rate, self._burst = rate, burst
        self._buckets: dict[str, Bucket] = {}

    def take(self, address: str, amount: float = 1.0) -> bool:
        """Take something out of an address's bucket, or refuse."""
        if len(self._buckets) > _MANY:
            self._buckets = {name: one for name, one in self._buckets.items() if one.fill() < one.burst}
        return self._buckets.setdefault(address, Bucket(self._rate, self._burst)).take(amount)


class Limits:
    """The limits of one server by address.

    They leave room for a class behind one address. A proxy has to say whom it stands for (``X-Forwarded-For``), or all
    visitors are one address.

    Attributes:
        requests: posts, per second and at once.
        tables: tables that are opened.
        seats: seats that are taken.
        agreements: people who agree to a study.
        messages: messages of all pages together; a new page costs `PAGE` of them.
        pages: how many pages each address has open, at most `PAGES`.
    """

    PAGES, PAGE = 400, 5.0

    def __init__(self) -> None:
        self.requests = Addresses(50.0, 400.0)
        self.tables = Addresses(0.1, 20.0)
        self.seats = Addresses(1.0, 60.0)
        self.agreements = Addresses(1 / 3, 20.0)
        self.messages = Addresses(400.0, 2_000.0)
        self.pages: Counter[str] = Counter()


def address_of(host: str) -> str:
    """The address for limits of a client's `host`; of IPv6 the network, which one household has."""
    address = _address(host)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False).network_address)
    return host if address is None else str(getattr(address, "ipv4_mapped", None) or address)


def is_local(host: str) -> bool:
    """Whether a client is on this computer, such as a proxy."""
    address = _address(host)
    return address is None or address.is_loopback


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
