"""What is remembered between runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import notes2code
from notes2code import cache, compile_formula
from notes2code.cache import Remembered
from notes2code.components import proofs
from notes2code.components.library import _content, library
from notes2code.emit import templating

PACKAGE = Path(notes2code.__file__).parent


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the cache lies; it is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_is_remembered_is_recalled(root: Path) -> None:
    table = Remembered("numbers", 10)
    assert table.recall("a") is None
    for key, number in (("a", 3), ("b", 4), ("a", 5)):
        table.remember(key, number)
    for again in (table, Remembered("numbers", 10)):
        assert [again.recall(key) for key in "abc"] == [5, 4, None]
    assert Remembered("others", 10).recall("a") is None


def test_the_file_stays_small(root: Path) -> None:
    table = Remembered("numbers", 4)
    for number in range(100):
        table.remember(str(number), number)
    assert table.recall("99") == 99
    assert len((root / "notes2code" / "numbers").read_text().splitlines()) <= 4
    assert [path.name for path in (root / "notes2code").iterdir()] == ["numbers"]


@pytest.mark.parametrize("line", [b"", b"a\n", b"a b\n", b"\xff\xfe\n", b"a 1 2\n", b"a"])
def test_a_damaged_line_is_passed_over(root: Path, line: bytes) -> None:
    Remembered("numbers", 10).remember("b", 2)
    with (root / "notes2code" / "numbers").open("ab") as file:
        file.write(line)
    table = Remembered("numbers", 10)
    assert [table.recall(key) for key in "ab"] == [None, 2]
    table.remember("c", 3)
    table.remember("d", 4)
    assert [Remembered("numbers", 10).recall(key) for key in "bd"] == [2, 4]


def test_where_nothing_can_be_written_nothing_is_remembered(root: Path) -> None:
    root.write_text("a file where a folder must be")
    Remembered("numbers", 10).remember("a", 1)
    assert Remembered("numbers", 10).recall("a") is None


def test_two_processes_do_not_lose_what_the_other_remembers(root: Path) -> None:
    one, other = Remembered("numbers", 10), Remembered("numbers", 10)
    assert one.recall("a") is other.recall("a") is None
    one.remember("a", 1)
    other.remember("b", 2)
    assert [Remembered("numbers", 10).recall(key) for key in "ab"] == [1, 2]


# --- whole things -------------------------------------------------------------------------------


def test_what_is_made_of_the_same_is_made_once(root: Path) -> None:
    made: list[str] = []

    def make() -> list[str]:
        made.append("again")
        return ["what", "ever"]

    for key, count in ((b"one", 1), (b"one", 1), (b"two", 2), (b"one", 3)):
        assert cache.kept("thing", key, make) == ["what", "ever"]
        assert len(made) == count


@pytest.mark.parametrize("length", [0, 20, 40, 70, -1])
def test_a_damaged_thing_is_made_again(root: Path, length: int) -> None:
    cache.kept("thing", b"key", lambda: ["old"])
    place = cache.folder() / "thing"
    place.write_bytes(place.read_bytes()[:length])
    assert cache.kept("thing", b"key", lambda: ["new"]) == ["new"]
    assert cache.kept("thing", b"key", lambda: ["newer"]) == ["new"]


def test_a_thing_is_made_where_nothing_can_be_kept(root: Path) -> None:
    root.write_text("a file where a folder must be")
    assert cache.kept("thing", b"key", lambda: 1) == 1


def test_the_library_is_the_same_from_the_cache(root: Path) -> None:
    library.cache_clear()
    made = library()
    library.cache_clear()
    found = library()
    library.cache_clear()
    assert found is not made
    assert list(found.components) == list(made.components)
    for name, component in made.components.items():
        latex = [form.latex for form in component.forms]
        assert [form.latex for form in found.components[name].forms] == latex
        assert repr(found.components[name].textbook.equation) == repr(component.textbook.equation)


def test_the_library_is_made_anew_when_what_reads_its_formulas_changes() -> None:
    content = _content([])
    reads = (code for stage in ("latex", "meaning") for code in (PACKAGE / stage).rglob("*.py"))
    assert all(code.read_bytes() in content for code in reads)


# --- proofs -------------------------------------------------------------------------------------

ATTENTION = r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V"


def test_a_proof_is_made_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    tried = proofs.tried
    monkeypatch.setattr(proofs, "tried", lambda *given: made.append("") or tried(*given))
    for _ in range(2):
        assert compile_formula(ATTENTION).component == "scaled_dot_product_attention"
    first = len(made)
    compile_formula(ATTENTION)
    assert first > 0
    assert len(made) == first
    compile_formula(ATTENTION.replace("K^", "A^"))
    assert len(made) > first


def test_a_proof_is_of_its_code(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_formula(ATTENTION)  # proves what the library needs, too
    file = root / "notes2code" / "proofs"
    kept, made = file.read_text(), list[list[list[str]]]()
    for code in (b"some code", b"other code"):
        monkeypatch.setattr(proofs, "_code", lambda code=code: code)
        compile_formula(ATTENTION)
        new = file.read_text().removeprefix(kept)
        made.append([line.split() for line in new.splitlines()])
        kept += new
    one, other = made
    assert sorted(result for _, result in one) == sorted(result for _, result in other)
    assert {name for name, _ in one}.isdisjoint(name for name, _ in other)


# --- templates ----------------------------------------------------------------------------------


@pytest.fixture
def template(tmp_path: Path) -> Path:
    templating._environment.cache_clear()
    (tmp_path / "greeting.j2").write_text("Hello {{ name }}")
    return tmp_path


def test_a_changed_template_is_compiled_anew(root: Path, template: Path) -> None:
    assert templating.fill(template, "greeting.j2", name="you") == "Hello you"
    (template / "greeting.j2").write_text("Good day {{ name }}")
    templating._environment.cache_clear()
    assert templating.fill(template, "greeting.j2", name="you") == "Good day you"


def test_a_damaged_compiled_template_is_compiled_anew(root: Path, template: Path) -> None:
    assert templating.fill(template, "greeting.j2", name="you") == "Hello you"
    (kept,) = (cache.folder() / "templates").iterdir()
    for length in (0, 4, 12, 40, len(kept.read_bytes()) - 1):
        kept.write_bytes(kept.read_bytes()[:length])
        templating._environment.cache_clear()
        assert templating.fill(template, "greeting.j2", name="me") == "Hello me"


def test_templates_are_filled_where_nothing_can_be_kept(root: Path, template: Path) -> None:
    root.write_text("a file where a folder must be")
    assert templating.fill(template, "greeting.j2", name="you") == "Hello you"
