"""Who may ask the server, and what every answer carries."""

import asyncio
import socket

import pytest

from sonmf.web.application import application
from sonmf.web.guard import HEADERS

TOKEN = "correct-horse-battery"


@pytest.mark.parametrize("path", ["/", "/nowhere", "/static/app.js", "/healthz", "/api/v1/card", "/api/v1/topics?complaint=x"])
def test_every_answer_carries_the_headers(client, path):
    found = client.get(path).headers
    assert {name: found[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in found["content-security-policy"]


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("127.0.0.1:8000", 200),
        ("localhost", 200),
        ("[::1]:9000", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example:8000", 421),
        ("192.168.0.7:8000", 421),
        ("[::1", 421),
        ("", 421),
    ],
)
def test_only_this_machine_may_be_asked_for(client, host, code):
    assert client.get("/", headers={"host": host}).status_code == code


@pytest.mark.parametrize(
    ("origin", "code"),
    [("http://127.0.0.1:8000", 200), ("http://evil.example", 403), ("null", 403), ("http://127.0.0.1:9000", 403)],
)
def test_other_origins_are_refused(client, origin, code):
    response = client.post("/api/v1/score", json={"note": "syncope"}, headers={"origin": origin})
    assert response.status_code == code
    assert "access-control-allow-origin" not in response.headers


def test_beyond_this_machine_a_token_is_needed(served, client_of):
    client = client_of(application(served, "10.0.0.7", 8000, TOKEN), "http://10.0.0.7:8000")
    assert client.get("/healthz").status_code == 200
    assert client.get("/").status_code == 401
    assert client.get("/api/v1/card").json()["message"].startswith("a token is needed")
    assert client.get("/?token=wrong").status_code == 401
    assert client.get("/api/v1/card", headers={"authorization": b"Bearer wrong\xff"}).status_code == 401
    assert client.get("/api/v1/card", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    first = client.get(f"/score?token={TOKEN}", follow_redirects=False)
    assert (first.status_code, first.headers["location"]) == (303, "/score")
    assert {"HttpOnly", "SameSite=strict"} <= set(first.headers["set-cookie"].split("; "))
    assert client.get("/api/v1/card").status_code == 200
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    assert client.get("/", headers={"host": f"{socket.gethostname()}:8000"}).status_code == 200


@pytest.mark.parametrize("path", ["//evil.example/", "///evil.example/", "/\\evil.example/", "http://evil.example/"])
def test_whoever_signs_in_stays_on_this_server(served, path):
    """The path as ASGI has it: a client of our own would not send such a one."""
    headers, query = [(b"host", b"10.0.0.7")], f"token={TOKEN}".encode()
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query, "headers": headers}
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(application(served, "10.0.0.7", 8000, TOKEN)(scope, None, send))
    location = dict(sent[0]["headers"])[b"location"].decode()
    assert sent[0]["status"] == 303
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))  # a browser takes both for another host


def test_a_bearer_token_is_named_in_any_case(served, client_of):
    client = client_of(application(served, "10.0.0.7", 8000, TOKEN), "http://10.0.0.7:8000")
    for scheme, code in [("Bearer", 200), ("bearer", 200), ("BEARER ", 200), ("Basic", 401)]:
        assert client.get("/api/v1/card", headers={"authorization": f"{scheme} {TOKEN}"}).status_code == code
