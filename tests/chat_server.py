"""A chat completions server on the loopback interface whose answers a test writes down beforehand."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: (request's body, how many requests came before) -> what to do
Script = Callable[[dict[str, Any], int], "Answer"]


@dataclass(frozen=True)
class Answer:
    """One HTTP answer; ``hang`` seconds pass before it, and ``drop`` closes the connection instead."""

    body: str | dict[str, Any]
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    hang: float = 0.0
    drop: bool = False


def said(text: str | None, finish: str = "stop", **message: Any) -> Answer:
    """A well-formed completion."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return Answer({"id": "1", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage})


def refused(status: int, message: str, **headers: str) -> Answer:
    """An error as OpenAI's servers phrase it; retries are asked for without a wait."""
    return Answer({"error": {"message": message}}, status, {"retry-after-ms": "1", **headers})


class ChatServer:
    """Serves while the block lasts; ``requests`` holds the bodies in the order in which they came."""

    def __init__(self, script: Script) -> None:
        self.script, self.requests = script, []
        self.keys: list[str] = []
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server._serve(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> ChatServer:
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.requests.append(body)
            self.keys.append(handler.headers.get("Authorization", ""))
            number = len(self.requests) - 1
        answer = self.script(body, number)
        time.sleep(answer.hang)
        if answer.drop:
            handler.close_connection = True
            return
        text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        try:
            handler.send_response(answer.status)
            handler.send_header("Content-Type", "application/json")
            for name, value in answer.headers.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(text.encode())))
            handler.end_headers()
            handler.wfile.write(text.encode())
        except OSError:
            pass  # the client did not wait


def asked(body: dict[str, Any]) -> str:
    """The user's message of a request."""
    return body["messages"][-1]["content"]
