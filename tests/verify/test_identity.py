"""What the outcome of a package's tests depends on."""

from __future__ import annotations

import pytest

from notes2code.verify.identity import ALL, identities

FILES = {
    "README.md": "The package.\n\n```python\nprint(1)\n```\n",
    "net/__init__.py": "from .layers import Layer\nfrom .losses import loss as cost\n",
    "net/layers.py": "from . import masks\n\nWIDTH = 2\n\n\n"
    "class Layer:\n    width = WIDTH\n    mask = masks.mask\n\n\n"
    "class Wide(Layer):\n    pass\n",
    "net/losses.py": "import math\n\nmath.tau\n\n\ndef loss(x):\n    return _scaled(x)\n\n\n"
    "def _scaled(x):\n    return x * math.pi\n\n\n"
    "def unused(n):\n    return n\n",
    "net/masks.py": "def mask(n):\n    return n\n",
    "net/train.py": "def main():\n    print(rate(1))\n\n\ndef rate(step):\n    return step\n\n\n"
    'if __name__ == "__main__":\n    main()\n',
    "tests/conftest.py": "import pytest\n\n\n"
    "@pytest.fixture(autouse=True)\ndef seed():\n    pass\n",
    "tests/checks.py": "def check(value):\n    assert value\n",
    "tests/test_layers.py": "import pytest\nfrom checks import check\n"
    "from net.layers import Layer, Wide\n\n\n"
    "@pytest.fixture\ndef layer():\n    return Layer()\n\n\n"
    "def test_layer(layer):\n    check(layer)\n\n\n"
    "class TestWide:\n    def test_it(self):\n        assert Wide()\n",
    "tests/test_losses.py": "import net\nfrom net.losses import loss\n\n\n"
    "def test_loss():\n    loss(1)\n\n\ndef test_cost():\n    net.cost(1)\n",
    "tests/test_patched.py": "def test_patched(monkeypatch):\n"
    '    monkeypatch.setattr("net.losses._scaled", abs)\n',
    "tests/test_train.py": "import subprocess\nimport sys\n\n\n"
    'def test_run():\n    subprocess.run([sys.executable, "-m", "net.train"])\n',
    "tests/test_readme.py": "import runpy\n\n\ndef test_example():\n    runpy.run_path('x')\n",
}
LAYER, WIDE = "tests/test_layers.py::test_layer", "tests/test_layers.py::TestWide"
LOSS, COST = "tests/test_losses.py::test_loss", "tests/test_losses.py::test_cost"
PATCHED, RUN = "tests/test_patched.py::test_patched", "tests/test_train.py::test_run"
README = "tests/test_readme.py::test_example"
TESTS = {LAYER, WIDE, LOSS, COST, PATCHED, RUN, README}


def changed(path: str, old: str, new: str) -> set[str]:
    """The tests whose keys change with the text of a file."""
    assert old in FILES[path]
    before = identities(FILES, [])
    after = identities({**FILES, path: FILES[path].replace(old, new)}, [])
    assert before.keys() == after.keys() == {ALL, *TESTS}
    return {test for test in before if before[test] != after[test]}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("net/losses.py", "import math", '"""Losses."""\n\nimport math  # for pi'),
        ("net/losses.py", "x * math.pi", "(x  *  math.pi)"),
        ("net/layers.py", "    width", '    """A layer."""\n\n    width'),
        ("net/train.py", "def rate", "\n\ndef rate"),
        ("README.md", "The package", "A package"),
    ],
)
def test_comments_docstrings_spaces_and_lines_do_not_count(path: str, old: str, new: str) -> None:
    assert not changed(path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new", "tests"),
    [
        ("net/layers.py", "WIDTH = 2", "WIDTH = 3", {LAYER, WIDE, COST}),
        ("net/layers.py", "    pass", "    width = 4", {WIDE}),
        (
            "net/masks.py",
            "def mask(n):\n    return n",
            "def mask(n):\n    return -n",
            {LAYER, WIDE, COST},
        ),
        ("net/losses.py", "return x", "return 2 * x", {LOSS, COST, PATCHED}),
        ("net/losses.py", "return _scaled", "return -_scaled", {LOSS, COST}),
        ("net/losses.py", "math.tau", "math.e", {LOSS, COST, PATCHED}),
        ("net/losses.py", "import math", "import cmath as math", {LOSS, COST, PATCHED}),
        ("net/__init__.py", "loss as cost", "unused as cost", {COST}),
        ("net/train.py", "return step", "return 2 * step", {RUN}),
        ("tests/checks.py", "assert value", "assert value > 0", {LAYER}),
        ("tests/test_layers.py", "return Layer()", "return Layer", {LAYER}),
        ("tests/test_layers.py", "assert Wide()", "assert Wide() is None", {WIDE}),
        ("tests/conftest.py", "pass", "return", TESTS),
        ("README.md", "print(1)", "print(2)", set()),
    ],
)
def test_a_key_depends_on_the_code_that_a_test_comes_by(
    path: str, old: str, new: str, tests: set[str]
) -> None:
    """The example of a README may come by anything, and ``net.cost`` by all of ``net``."""
    assert changed(path, old, new) == {ALL, README, *tests}


def test_code_that_no_test_comes_by_is_in_the_key_of_all() -> None:
    more = changed("net/losses.py", "unused(n):\n    return n", "unused(n):\n    return 1")
    assert more == {ALL, README}


@pytest.mark.parametrize(
    ("code", "reached"),
    [
        ("def registered(f): return f\n\n@registered\ndef hidden(): return 1\n", True),
        ("def registered(f): return f\n\ndef hidden(): return 1\n", False),
        ("def registered(f): return f\n\ndef hidden(): return 1\n\nregistered(hidden)\n", True),
        ("def registered(f): return __import__(f)\n\ndef hidden(): return 1\n", True),
        (
            "def registered(f):\n    from a import hidden as h; h()\n\ndef hidden(): return 1\n",
            True,
        ),
        ("registered, number = abs, 1\n\ndef hidden(): pass\n\nhidden.value = 1", True),
        ("from b import *\ndef registered(f): return f\n\ndef hidden(): return 1\n", True),
    ],
)
def test_code_that_is_come_by_without_its_name_counts(code: str, reached: bool) -> None:
    test = "from a import registered\n\ndef test_it():\n    registered('a')\n"
    one, other = (
        identities({"a.py": text, "b.py": "", "tests/test_a.py": test}, [])
        for text in (code, code.replace("1", "2"))
    )
    assert (one["tests/test_a.py::test_it"] != other["tests/test_a.py::test_it"]) == reached


def test_versions_count_and_there_are_no_keys_where_a_file_is_no_python() -> None:
    assert identities(FILES, ["pytest"])[LOSS] != identities(FILES, ["numpy"])[LOSS]
    assert not identities({**FILES, "net/broken.py": "def f(:\n"}, [])
