"""Reads what pytest reports of the tests of a package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

_EXCERPT = 8
_COLUMNS = 160
_PLACE = re.compile(r'^(?:E +File "\S*/generated/)?([\w/]+\.py)(?:", line |:)(\d+)', re.MULTILINE)


class NoReport(Exception):
    """There is no report of the tests, and why."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A test that failed, or a file of tests that cannot be imported; the lines that say why; and
    the places in the package's files that it came by, as file and line, the last one innermost."""

    test: str
    excerpt: str
    places: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A test that was run; it neither passed nor failed where it was skipped."""

    test: str
    passed: bool
    failures: tuple[Failure, ...] = ()

    @property
    def of(self) -> str:
        """Its function or class."""
        return function_of(self.test)


def function_of(test: str) -> str:
    """The function or class of a test, with its file, without parameters and methods."""
    return "::".join(test.partition("[")[0].split("::")[:2])


def cases_in(report: Path, log: Path) -> Iterator[Case]:
    """The tests in a report of pytest. Raises NoReport, with the end of what it printed, where
    there is none."""
    try:
        found = list(ElementTree.parse(report).iter("testcase"))
    except (OSError, ElementTree.ParseError):
        printed = log.read_text(encoding="utf-8", errors="replace").strip()
        raise NoReport(f"could not be run: {printed[-_COLUMNS * _EXCERPT :]}") from None
    for case in found:
        name = _name(case)
        wrong = [part for part in case if part.tag in ("failure", "error")]
        failures = tuple(Failure(name, _excerpt(part), _places(part)) for part in wrong)
        yield Case(name, not wrong and case.find("skipped") is None, failures)


def _name(case: ElementTree.Element) -> str:
    """The test as pytest names it; a test that a class inherits is named by that class."""
    name, parts = case.get("name", ""), case.get("classname", "").split(".")
    classes = [part for part in parts if part.startswith("Test")]
    file = "/".join(part for part in parts if part not in classes)
    return "::".join((f"{file}.py", *classes, name)) if file else name


def _places(failure: ElementTree.Element) -> tuple[tuple[str, int], ...]:
    """The places that a failure names: those of a traceback, and that of code which is no
    Python, which pytest names in full."""
    text = (failure.text or "").replace("\\", "/")
    return tuple((file, int(line)) for file, line in _PLACE.findall(text))


def _excerpt(failure: ElementTree.Element) -> str:
    """The lines of a failure that say what went wrong, and where."""
    text = (failure.text or failure.get("message") or "").split("\n")
    said = [line[1:].strip() for line in text if line.startswith("E ")]
    places = [line for line in text if line.startswith(("tests/", "tests\\"))]
    chosen = [*places[-1:], *said] if said else [line for line in text if line.strip()][-3:]
    return "\n".join(line[:_COLUMNS] for line in chosen[:_EXCERPT])
