"""What every request passes first: the Host, the Origin, the access token; and the headers of every answer."""

import hmac
import ipaddress
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")
COOKIE = "mtrain_access"

_HEADERS = {
    "content-security-policy": "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-cache",
}


class Gate:
    """The ASGI application behind the checks.

    `hosts` are the names by which it may be called, `any_address` allows every literal address too, and `access`, if
    there is one, is asked for.
    """

    def __init__(
        self, app: ASGIApp, hosts: Collection[str], any_address: bool = False, access: str | None = None
    ) -> None:
        self.app, self.hosts, self.any_address, self.access = app, hosts, any_address, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        code, why = self._refusal(scope, headers)
        if code and scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # before it was accepted: the answer is 403
            return
        with_cookie = self._access_in_query(scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    answer[name] = value
                if with_cookie:
                    answer.append("set-cookie", f"{COOKIE}={self.access}; HttpOnly; SameSite=Strict; Path=/")
            await send(message)

        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
        elif code:
            await PlainTextResponse(why, code)(scope, receive, send_with_headers)
        else:
            await self.app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str]:
        """Return the code and the reason for which a request is refused, or 0."""
        host = headers.get("host", "")
        if not self._is_own(host):
            return 400, "The Host header names another machine."
        origin = headers.get("origin")
        if scope["type"] == "websocket" and origin is None:
            return 403, "A socket needs an Origin."
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return 403, "The Origin is another page."
        if self.access is not None and not self._has_access(scope, headers):
            return 401, "Open the address that `mtrain play` printed, with its token."
        return 0, ""

    def _is_own(self, host: str) -> bool:
        """Whether the Host is a name of this server; a literal address cannot be rebound to another by DNS."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self.hosts:
            return True
        if not self.any_address:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _access_in_query(self, scope: Scope) -> bool:
        if self.access is None:
            return False
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        return hmac.compare_digest(given.encode(), self.access.encode())

    def _has_access(self, scope: Scope, headers: Headers) -> bool:
        assert self.access is not None
        if self._access_in_query(scope):
            return True
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and hmac.compare_digest(cookie.value.encode(), self.access.encode())
