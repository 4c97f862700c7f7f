"""The host that a request names: a page of a stranger must not reach the server under a name that points to this machine.

Starlette's ``TrustedHostMiddleware`` compares with a list of names. Here any IP address is allowed when the server is reached
from other machines: a name that someone else's DNS could point here is refused, but an address cannot be borrowed like that.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from sonmf.web.errors import refusal


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def host_check(host: str) -> Callable[[Request], Response | None]:
    """The check of a server that listens at ``host``."""
    names = {host.lower(), "localhost", socket.gethostname().lower(), socket.getfqdn().lower()}

    def is_allowed(name: str) -> bool:
        return is_loopback(name) if is_loopback(host) else name in names or _is_address(name)

    def check(request: Request) -> Response | None:
        if is_allowed(_name_in(request.headers.get("host", ""))):
            return None
        return refusal(request, 421, "this address is not served here: open the one that `sonmf serve` printed")

    return check


def _name_in(header: str) -> str:
    """The name without the port; empty if there is none."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False
