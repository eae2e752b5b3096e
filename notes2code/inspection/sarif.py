"""Diagnostics as SARIF 2.1.0, which editors and code hosts show."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from notes2code.diagnostics import Diagnostic
from notes2code.diagnostics.codes import TITLES

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "VAULT"


def sarif(diagnostics: Iterable[Diagnostic], vault: str) -> dict[str, Any]:
    """A SARIF log of one run; its paths are relative to the folder ``vault``."""
    found = list(diagnostics)
    codes = sorted({diagnostic.code for diagnostic in found})
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "notes2code", "rules": [_rule(c) for c in codes]}},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_ROOT: {"uri": _folder(vault)}},
                "results": [_result(d, codes.index(d.code)) for d in found],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    return {"id": code, "shortDescription": {"text": TITLES.get(code, code)}}


def _folder(vault: str) -> str:
    uri = Path(vault).resolve().as_uri()
    return uri if uri.endswith("/") else f"{uri}/"


def _result(diagnostic: Diagnostic, rule: int) -> dict[str, Any]:
    message = diagnostic.message
    if diagnostic.help:
        message += f"\nhelp: {diagnostic.help}"
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": str(diagnostic.severity),
        "message": {"text": message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(diagnostic.path), "uriBaseId": _ROOT},
                    "region": {
                        "startLine": diagnostic.line,
                        "startColumn": diagnostic.column,
                        "endLine": diagnostic.end_line,
                        "endColumn": diagnostic.end_column,
                    },
                }
            }
        ],
    }


def _uri(path: str) -> str:
    return quote(path, errors="surrogateescape")
