import json
import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memorai.report.manifest import command, git_sha, hardware, manifest, packages, sanitise


def _manifest(**changes):
    arguments = {
        "argv": ["/opt/ann/memorai/eval.py", "system=bm25", "data.path=/opt/ann/data/locomo10.json"],
        "config": {"data": {"path": Path("/opt/ann/data/locomo10.json")}, "k": [1, 3], "llm": {"api_key": "sk-1"}},
        "data": {"name": "locomo", "version": "3eb6f2c", "sha256": "79fa"},
        "seed": 7,
        "started": datetime(2031, 5, 4, 12, tzinfo=timezone(timedelta(hours=2))),
        "seconds": 1.23456,
    }
    return manifest(**{**arguments, **changes})


def test_every_field_is_there_and_no_absolute_path():
    got = _manifest(systems={"bm25": {"embedder": "–"}}, categories=["multi_hop"], category_ids={"multi_hop": "1"})
    assert set(got) >= {"command", "config", "git_sha", "data", "seed", "packages", "hardware", "started", "seconds"}
    assert got["command"] == "python -m memorai.eval system=bm25 data.path=locomo10.json"
    assert got["config"] == {"data": {"path": "locomo10.json"}, "k": [1, 3], "llm": {"api_key": "***"}}
    assert got["data"] == {"name": "locomo", "version": "3eb6f2c", "sha256": "79fa"}
    assert (got["seed"], got["started"], got["seconds"]) == (7, "2031-05-04T10:00:00+00:00", 1.235)
    assert got["systems"] == [{"system": "bm25", "embedder": "–"}]
    assert got["categories"] == [{"name": "multi_hop", "id": "1"}]
    text = json.dumps(got, allow_nan=False)
    assert "/opt" not in text and "ann" not in text and str(Path.cwd()) not in text


def test_incomplete_arguments_are_refused():
    with pytest.raises(ValueError, match="version, sha256"):
        _manifest(data={"name": "locomo"})
    with pytest.raises(ValueError, match="time zone"):
        _manifest(started=datetime(2031, 1, 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/opt/ann/x.json", "x.json"),
        ("/opt/ann/my data/x y.json", "x y.json"),
        ("path=/opt/ann/my data/x.json", "path=x.json"),
        ("files=[/a/b.txt,/c/d.txt]", "files=[b.txt,d.txt]"),
        ("{path:/opt/ann/x}", "{path:x}"),
        ("read /opt/ann/x, then '/srv/y'", "read x, then 'y'"),
        ("~/data/x.json", "x.json"),
        ("~ann/data/x.json", "x.json"),
        (r"C:\Users\ann\x.json", "x.json"),
        (r"path=C:\Users\ann\x.json", "path=x.json"),
        ("D:/data/x.json", "x.json"),
        (r"\\server\share\x.json", "x.json"),
        ("file:///opt/ann/x.json", "x.json"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("https://ann:pw@host.org/v1", "https://host.org/v1"),
        ("llm.api_key=sk-123", "llm.api_key=***"),
        ("+llm.token=abc", "+llm.token=***"),
        ("max_tokens=12", "max_tokens=12"),
        ("api_key_env=OPENAI_API_KEY", "api_key_env=OPENAI_API_KEY"),
        ("org/model-name", "org/model-name"),
        ("see `/opt/ann/x`", "see `x`"),
        ("see `/opt/ann/my data/x` there", "see `x` there"),
        ("“/opt/ann/x” and ‘/opt/ann/y’", "“x” and ‘y’"),
        ("a+/opt/ann/x", "a+x"),
        ("path='/opt/ann lee/data (1)/x y.json'", "path='x y.json'"),
        ("see —/opt/ann/x", "see —x"),
        ("{date}/{text} (a+b)/c **/x.json", "{date}/{text} (a+b)/c **/x.json"),
        ("../shared/x.json", "../shared/x.json"),
        ("1/2 and a / b", "1/2 and a / b"),
        ("{date} {speaker}: {text} [{caption}]", "{date} {speaker}: {text} [{caption}]"),
        ("", ""),
    ],
)
def test_texts_are_sanitised(text, expected):
    assert sanitise(text) == expected


def test_paths_below_the_working_directory_become_relative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert sanitise(f"out={tmp_path}/runs/1") == "out=runs/1"
    assert sanitise({str(tmp_path / "a"): [tmp_path / "b" / "c"]}) == {"a": ["b/c"]}


def test_settings_that_are_not_finite_stay_readable():
    assert sanitise({"a": float("inf"), "b": (1.5, None, True)}) == {"a": "inf", "b": [1.5, None, True]}


segments = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=6)


@given(
    st.lists(segments, min_size=2, max_size=5),
    st.sampled_from(
        ["", "key=", "a.b=[x,", "see ", "{p: ", "--out=", "`", "+", "“", "‘", "x;", "!", "#", "&", "$", "^", "…"]
    ),
)
def test_no_root_survives(parts, prefix):
    text = sanitise(prefix + "/" + "/".join(parts))
    assert "/" not in text and text.endswith(parts[-1])
    assert sanitise(text) == text


def test_a_command_can_be_pasted():
    assert command(["x", "note=a b", "k=[1,3]"]) == "python -m memorai.eval 'note=a b' 'k=[1,3]'"


def test_git_sha_of_a_checkout(tmp_path):
    def git(*arguments):
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    assert git_sha(tmp_path) is None
    git("init")
    package = tmp_path / "memorai"
    package.mkdir()
    (package / "a.py").write_text("1\n", encoding="utf-8")
    assert git_sha(package) is None  # inside a repository, but not part of it
    git("add", "memorai")
    git("commit", "-m", "first")
    clean = git_sha(package)
    assert clean is not None and len(clean) == 40
    (tmp_path / "untracked").write_text("", encoding="utf-8")
    assert git_sha(package) == clean
    (package / "a.py").write_text("2\n", encoding="utf-8")
    assert git_sha(package) == f"{clean}-dirty"


def test_packages_and_hardware_are_named():
    assert {"python", "numpy", "torch"} <= set(packages())
    found = hardware()
    assert found["cores"] >= 1 and found["cpu"]


def test_started_is_written_in_utc():
    assert _manifest(started=datetime(2031, 1, 1, tzinfo=UTC))["started"] == "2031-01-01T00:00:00+00:00"
