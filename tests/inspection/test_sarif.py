"""Diagnostics as SARIF."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

from notes2code.compilation import Compilation
from notes2code.diagnostics import Diagnostic, Severity
from notes2code.diagnostics.codes import TITLES
from notes2code.inspection import sarif


def test_results_point_to_their_rules_and_places(compiled: Callable[..., Compilation]) -> None:
    compilation = compiled({"Öl & x.md": "text\n\n$$y = \\frac{a}{$$\n", "E.canvas": "{}"})
    found = list(compilation.diagnostics())
    log = sarif(found, compilation.vault.root)
    assert json.loads(json.dumps(log)) == log and log["version"] == "2.1.0"
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == len(found) >= 2
    for result, diagnostic in zip(run["results"], found, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == diagnostic.code
        assert result["level"] in ("error", "warning", "note")
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uriBaseId"] == "VAULT"
        assert unquote(place["artifactLocation"]["uri"]) == diagnostic.path
        assert place["region"]["startLine"] == diagnostic.line >= 1
        assert place["region"]["startColumn"] == diagnostic.column >= 1
    assert [rule["id"] for rule in rules] == sorted({d.code for d in found})
    uri = run["originalUriBaseIds"]["VAULT"]["uri"]
    assert uri == Path(compilation.vault.root).resolve().as_uri() + "/"


def test_paths_are_written_as_uris() -> None:
    odd = Diagnostic("N2C015", Severity.NOTE, "m", "a b/注#?.md", 1, 1, 1, 1, "try `x`")
    [result] = sarif([odd], ".")["runs"][0]["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "a%20b/%E6%B3%A8%23%3F.md"
    assert result["message"]["text"] == "m\nhelp: try `x`"
    [rule] = sarif([odd], ".")["runs"][0]["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == TITLES["N2C015"]


def test_nothing_wrong_is_a_run_without_results() -> None:
    [run] = sarif([], ".")["runs"]
    assert run["results"] == [] and run["tool"]["driver"]["rules"] == []
