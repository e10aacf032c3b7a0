"""Client of the HTTP interface of a TCode gateway.

Generated from openapi.yaml. It needs Python 3.11 and the standard library alone:

    from tcode_client import Client, GatewayError

    gateway = Client("https://gateway.example", key)
    try:
        made = gateway.create_stamp({"name": "Diploma", "documentTypeCode": "DIP", "pdf": text_of(file)})
    except GatewayError as e:
        print(e.code, e.errors)
    pdf = gateway.fetch(gateway.download_stamp(made["data"]["id"])["data"]["url"])

Bodies are dictionaries with the members of the contract; a type checker knows them.
A method raises GatewayError where the gateway answers with an error.
"""

from __future__ import annotations

import base64
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Literal, Mapping, NotRequired, TypeAlias, TypedDict, cast


class GatewayError(Exception):
    """An answer that is an error, as the schema Error of the contract has it."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(body.get("code", ""))  # for programs
        self.message = str(body.get("message", ""))  # for people
        self.trace_id = str(body.get("traceId", ""))  # names the request in the gateway's log
        self.reason: str | None = body.get("reason")
        self.reference: str | None = body.get("reference")  # the record that a DUPLICATE collides with
        self.errors: dict[str, list[str]] = body.get("errors") or {}  # by the path of the field
        super().__init__(f"{status} {self.code}: {self.message}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None  # the key is for this gateway alone


def text_of(file: bytes) -> str:
    """A file as it stands in a body: Base64."""
    return base64.b64encode(file).decode()


class _Calls:
    """Sends requests to one gateway. It is safe for use by several threads."""

    def __init__(self, address: str, key: str | None = None, timeout: float = 180) -> None:
        self._address = address.rstrip("/").removesuffix("/v1")
        self._key = key
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirect())

    def fetch(self, url: str) -> bytes:
        """The content behind a download address. The key is not sent."""
        return self._open(urllib.request.Request(url))

    def _open(self, request: urllib.request.Request) -> bytes:
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return cast(http.client.HTTPResponse, answer).read()
        except urllib.error.HTTPError as e:
            try:
                body = json.loads(e.read())
            except ValueError:
                body = {}
            raise GatewayError(e.code, body if isinstance(body, dict) else {}) from None

    def _call(self, method: str, path: str, accept: str, query: Mapping[str, Any], headers: Mapping[str, str | None], body: Any = None) -> bytes:
        asked = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in query.items() if v is not None}
        url = self._address + path + ("?" + urllib.parse.urlencode(asked) if asked else "")
        sent = {k: v for k, v in headers.items() if v is not None} | {"Accept": accept}
        if self._key is not None:
            sent["x-api-key"] = self._key
        data = None
        if body is not None:
            data, sent["Content-Type"] = json.dumps(body).encode(), "application/json"
        return self._open(urllib.request.Request(url, data, sent, method=method))


def _at(value: object) -> str:
    return urllib.parse.quote(str(value), safe="")
