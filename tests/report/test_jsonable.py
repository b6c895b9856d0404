import json
from pathlib import Path

import numpy as np

from memorai.report.jsonable import dumps, jsonable


def test_values_become_plain():
    value = {
        "b": np.float32(0.1),
        "a": np.arange(2),
        3: {"z", "y"},
        "path": Path("a") / "b",
        "nan": float("nan"),
        "inf": np.inf,
        "flag": True,
        "none": None,
        "tuple": (1, 1 / 3),
        "object": 1j,
    }
    assert jsonable(value) == {
        "b": 0.1,
        "a": [0, 1],
        "3": ["y", "z"],
        "path": "a/b",
        "nan": None,
        "inf": None,
        "flag": True,
        "none": None,
        "tuple": [1, 0.333333],
        "object": "1j",
    }


def test_text_is_sorted_readable_and_valid():
    text = dumps({"b": "苹果", "a": np.float64("nan")})
    assert text == '{"a": null, "b": "苹果"}'
    assert json.loads(text) == {"a": None, "b": "苹果"}
