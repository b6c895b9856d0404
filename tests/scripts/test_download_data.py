import hashlib
import importlib.util
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from memorai.datasets import locomo, longmemeval

SCRIPT = Path(__file__).parents[2] / "scripts" / "download_data.py"
BODY = b'[{"a": 1}]' * 1000
SHA256 = hashlib.sha256(BODY).hexdigest()


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("download_data", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def source(script, tmp_path):
    def _source(url=None, sha256=SHA256):
        (tmp_path / "origin.json").write_bytes(BODY)
        return script.Source(url or (tmp_path / "origin.json").as_uri(), "bench/file.json", sha256, "MIT")

    return _source


@pytest.fixture
def server():
    """Answers /whole with BODY, /cut with its first half under a Content-Length of the whole, else 404."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            known = self.path in ("/whole", "/cut")
            self.send_response(200 if known else 404)
            self.send_header("Content-Length", str(len(BODY) if known else 0))
            self.end_headers()
            self.wfile.write(b"" if not known else BODY if self.path == "/whole" else BODY[: len(BODY) // 2])

        def log_message(self, *args):
            pass

    httpd = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    httpd.shutdown()
    httpd.server_close()
    thread.join()


def test_a_verified_file_appears_whole(script, source, tmp_path):
    message = script.fetch(source(), tmp_path)
    assert (tmp_path / "bench" / "file.json").read_bytes() == BODY
    assert message.endswith("fetched, licence MIT, sha256 verified")
    assert script.fetch(source(), tmp_path).endswith("already there, sha256 verified")


def test_over_http(script, source, server, tmp_path):
    script.fetch(source(f"{server}/whole"), tmp_path)
    assert (tmp_path / "bench" / "file.json").read_bytes() == BODY


@pytest.mark.parametrize(("page", "message"), [("cut", "cut off after|IncompleteRead"), ("none", "404")])
def test_a_failed_download_leaves_nothing(script, source, server, tmp_path, page, message):
    with pytest.raises(script.DownloadError, match=message):
        script.fetch(source(f"{server}/{page}", sha256=None), tmp_path)
    assert list((tmp_path / "bench").iterdir()) == []


def test_a_wrong_sum_leaves_nothing(script, source, tmp_path):
    with pytest.raises(script.DownloadError, match="nothing was kept"):
        script.fetch(source(sha256="0" * 64), tmp_path)
    assert list((tmp_path / "bench").iterdir()) == []


def test_another_file_is_replaced_only_by_force(script, source, tmp_path):
    target = tmp_path / "bench" / "file.json"
    target.parent.mkdir()
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(script.DownloadError, match="--force replaces it"):
        script.fetch(source(), tmp_path)
    assert target.read_text(encoding="utf-8") == "mine"
    script.fetch(source(), tmp_path, force=True)
    assert target.read_bytes() == BODY


def test_an_unknown_sum_is_said(script, source, tmp_path):
    message = script.fetch(source(sha256=None), tmp_path)
    assert message.endswith(f"UNVERIFIED (no sum on record): sha256 {SHA256}")


def test_main(script, source, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(script, "SOURCES", {"one": source(), "bad": source((tmp_path / "gone").as_uri())})
    monkeypatch.setenv("MEMORAI_DATA", str(tmp_path / "root"))
    assert script.main(["one"]) == 0
    assert (tmp_path / "root" / "bench" / "file.json").exists()
    (tmp_path / "root" / "bench" / "file.json").unlink()
    assert script.main(["bad"]) == 2
    assert capsys.readouterr().err.startswith("error: file:")
    with pytest.raises(SystemExit):
        script.main(["two"])


def test_the_loaders_look_for_what_the_script_fetches(script):
    assert script.SOURCES["locomo"].sha256 == locomo.OFFICIAL_SHA256
    for variant, names in longmemeval.FILES.items():
        source = script.SOURCES[f"longmemeval_{variant}"]
        assert source.sha256 == longmemeval.OFFICIAL_SHA256.get(variant)
        assert source.target == f"longmemeval/{names[0]}"
