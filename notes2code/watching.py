"""Tells when a vault changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

from watchfiles import Change, watch

from notes2code.components.library import library
from notes2code.vault import VaultError

_PAUSE = 200
"""Milliseconds after which a quiet watch looks up; so long it takes to be sure that it runs."""


def changes(
    vault: str, out: str, components: Sequence[str] = (), stop: Event | None = None
) -> Iterator[None]:
    """Yield once the watch runs, then after each burst of changes to notes or components.

    Hidden files, such as an editor's own, and what lies in ``out`` are ignored. Changes that
    come while the caller works are not lost. Ends when ``stop`` is set. Raises VaultError when
    there is nothing to watch.
    """
    roots = [Path(path).resolve() for path in (vault, *components)]
    output = Path(out).resolve()
    for root in roots:
        if not root.exists():
            raise VaultError(f"there is nothing to watch at {root}")

    def counts(_: Change, name: str) -> bool:
        path = Path(name)
        below = [path.relative_to(r).parts for r in roots if path.is_relative_to(r)]
        seen = any(not any(part.startswith(".") for part in parts) for parts in below)
        return seen and not path.is_relative_to(output)

    # An editor replaces a file that it saves, so the folder of a single note is watched.
    folders = [root if root.is_dir() else root.parent for root in roots]
    started = False
    for burst in watch(
        *folders,
        watch_filter=counts,
        stop_event=stop,
        rust_timeout=_PAUSE,
        yield_on_timeout=True,
    ):
        if any(Path(name).is_relative_to(root) for _, name in burst for root in roots[1:]):
            library.cache_clear()
        if burst or not started:
            started = True
            yield
