"""A model fitted here, served in this process and on a port of this machine."""

import asyncio
import contextlib
import os
import shutil
import threading
from functools import partialmethod
from pathlib import Path

import httpx
import pytest
from wards import KINDS, ODD, beside, ward

from sonmf.cli import serve
from sonmf.triage import TriageModel
from sonmf.web.application import Server, application
from sonmf.web.served_model import ServedModel

CHROMIUM = shutil.which("chromium")
AXE = Path(os.environ.get("AXE_JS", Path(__file__).parents[2] / ".tools" / "axe.min.js"))


class Client:
    """httpx against the application itself, without a socket; cookies are kept."""

    def __init__(self, app, address="http://127.0.0.1:8000"):
        self.app, self.address, self.cookies = app, address, httpx.Cookies()

    def request(self, method, path, **options):
        async def ask():
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url=self.address, cookies=self.cookies) as client:
                response = await client.request(method, path, **options)
                self.cookies = client.cookies
                return response

        return asyncio.run(ask())

    get = partialmethod(request, "GET")
    post = partialmethod(request, "POST")
    put = partialmethod(request, "PUT")


@pytest.fixture(scope="session")
def fitted(tmp_path_factory):
    """A model file; tests that change anything copy it."""
    path = tmp_path_factory.mktemp("model") / "ward <b>.sonmf"
    notes, dispositions, complaints = ward(800, complaints=("Cough", ODD))
    complaints[:3] = ["Rare", "Rare", "Rare"]
    sides = {"side": ["left", "right"] * 400}
    model = TriageModel(n_topics=[4, 8], kinds=KINDS, own_models="always")
    model.fit(notes, dispositions, complaints, beside(dispositions), subgroups=sides, stability=3).save(path)
    return path


@pytest.fixture
def model_file(fitted, tmp_path):
    return shutil.copy(fitted, tmp_path / fitted.name)


@pytest.fixture
def served(model_file):
    return ServedModel(TriageModel.load(model_file), model_file, largest_note=10_000, largest_list=1_000_000)


@pytest.fixture
def client(served):
    return Client(application(served))


@pytest.fixture
def client_of():
    """A client of another application."""
    return Client


@pytest.fixture
def live():
    """``live(served)`` serves on a free port of this machine, and gives the address."""
    with contextlib.ExitStack() as running:
        yield lambda served: running.enter_context(_serving(served))


@contextlib.contextmanager
def _serving(served):
    served.warm()
    door = serve.listen("127.0.0.1", 0)
    server = Server(application(served, port=door.getsockname()[1]))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
    thread.start()
    yield f"http://127.0.0.1:{door.getsockname()[1]}"
    server.should_exit = True
    thread.join()
    door.close()


@pytest.fixture(scope="module")
def browser():
    """A browser; it runs an event loop in this thread, so it ends before tests of other modules run theirs."""
    from playwright import sync_api

    assert CHROMIUM, "these tests need Chromium: apt-get install chromium"
    arguments = ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
    with sync_api.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def address(fitted):
    """A server for all tests that change nothing in the model."""
    with _serving(ServedModel(TriageModel.load(fitted), fitted)) as found:
        yield found


@pytest.fixture
def open_tab(browser):
    """``open_tab(address)``: whatever happens there, no request leaves the machine, no error is logged, no attack runs."""
    with contextlib.ExitStack() as tabs:
        yield lambda address: tabs.enter_context(_tab(browser, address))


@contextlib.contextmanager
def _tab(browser, address):
    with browser.new_context(base_url=address) as context:
        context.set_default_timeout(120_000)  # a loaded machine is slow
        tab = context.new_page()
        asked, complaints = [], []
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        yield tab
        attacked = tab.evaluate("window.attacked")
    assert attacked is None
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
    assert complaints == []


@pytest.fixture
def page(open_tab, address):
    """A tab on the server that all tests share."""
    return open_tab(address)


@pytest.fixture
def check_accessible():
    """``check_accessible(tab)`` lets axe-core judge what a tab shows."""

    def check(tab):
        tab.evaluate(AXE.read_text())
        found = tab.evaluate("axe.run()")
        serious = [
            (fault["id"], [node["html"] for node in fault["nodes"]])
            for fault in found["violations"]
            if fault["impact"] in ("serious", "critical")
        ]
        assert serious == []
        assert len(found["passes"]) > 10

    return check
