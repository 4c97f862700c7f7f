"""Who may ask the server, and what every answer carries."""

import socket

import pytest

from sonmf.web.application import application
from sonmf.web.guard.headers import HEADERS


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
    token = "correct-horse-battery"
    client = client_of(application(served, "10.0.0.7", 8000, token), "http://10.0.0.7:8000")
    assert client.get("/healthz").status_code == 200
    assert client.get("/").status_code == 401
    assert client.get("/api/v1/card").json()["message"].startswith("a token is needed")
    assert client.get("/?token=wrong").status_code == 401
    assert client.get("/api/v1/card", headers={"authorization": b"Bearer wrong\xff"}).status_code == 401
    assert client.get("/api/v1/card", headers={"authorization": f"Bearer {token}"}).status_code == 200
    first = client.get(f"/score?token={token}", follow_redirects=False)
    assert (first.status_code, first.headers["location"]) == (303, "/score")
    assert {"HttpOnly", "SameSite=strict"} <= set(first.headers["set-cookie"].split("; "))
    assert client.get("/api/v1/card").status_code == 200
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421
    assert client.get("/", headers={"host": f"{socket.gethostname()}:8000"}).status_code == 200
