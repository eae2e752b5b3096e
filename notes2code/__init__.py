"""notes2code: compiles a vault of notes into a tested PyTorch package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from notes2code.formula import CompiledFormula, FormulaError, Input, compile_formula
    from notes2code.pipeline import build
    from notes2code.vault import Vault, VaultError, read_vault

__all__ = [
    "CompiledFormula",
    "FormulaError",
    "Input",
    "Vault",
    "VaultError",
    "build",
    "compile_formula",
    "read_vault",
]

_HOMES = {
    "CompiledFormula": "formula",
    "FormulaError": "formula",
    "Input": "formula",
    "compile_formula": "formula",
    "build": "pipeline",
    "Vault": "vault",
    "VaultError": "vault",
    "read_vault": "vault",
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that ``import notes2code`` is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
