"""A PostgreSQL server of the test's own, from installed binaries, in a temporary folder, over a socket."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PLACES = "/usr/lib/postgresql/*/bin"


def binaries() -> Path | None:
    """The folder of initdb and pg_ctl, as Debian's package `postgresql` lays them, or from the PATH."""
    found = sorted(Path("/").glob(f"{_PLACES.lstrip('/')}/initdb"), reverse=True)
    on_path = shutil.which("initdb")
    candidates = [*(path.parent for path in found), *([Path(on_path).parent] if on_path else [])]
    return next((folder for folder in candidates if (folder / "pg_ctl").exists()), None)


def account() -> str | None:
    """Whom the server runs as: itself where we are not root, else an account that is no superuser."""
    if os.geteuid():
        return pwd.getpwuid(os.geteuid()).pw_name
    return next((name for name in ("postgres", "nobody") if _exists(name)), None)


@contextmanager
def server() -> Iterator[str]:
    """Start a server and yield the URL of an empty database."""
    folder, user = binaries(), account()
    assert folder is not None and user is not None
    with tempfile.TemporaryDirectory(prefix="memorai-pg-") as temporary:
        root = Path(temporary)
        root.chmod(0o755)
        home = root / "pg"
        home.mkdir()
        if not os.geteuid():
            shutil.chown(home, user)
        as_user = {"user": user, "cwd": home} if not os.geteuid() else {"cwd": home}

        def run(*command: str) -> None:
            subprocess.run([str(folder / command[0]), *command[1:]], check=True, capture_output=True, **as_user)

        data = home / "data"
        run("initdb", "-D", str(data), "-U", "memorai", "--auth=trust", "-E", "UTF8", "--no-locale", "-N")
        options = f"-c listen_addresses='' -c unix_socket_directories={home} -c fsync=off"
        run("pg_ctl", "-D", str(data), "-l", str(home / "log"), "-w", "-o", options, "start")
        try:
            yield f"postgresql://memorai@/postgres?host={home}"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
