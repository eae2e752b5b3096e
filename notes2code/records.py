"""Dataclasses whose instances nobody changes, at the price of plain ones.

``@dataclass(frozen=True)`` assigns every field by way of ``object.__setattr__``, which makes an
instance three times as dear, and a formula is hundreds of them. The type checker forbids a change
long before it runs, so at run time only equality and the hash are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses

    def dataclass(*, frozen=False, **options):
        """``dataclasses.dataclass`` with ``frozen`` left to the type checker."""
        return dataclasses.dataclass(unsafe_hash=frozen, **options)
