"""The port that an address means when it names none."""

from typing import Final

WEB_PORTS: Final = {"http": 80, "https": 443}
PROXY_PORTS: Final = {**WEB_PORTS, "socks5": 1080, "socks5h": 1080}
