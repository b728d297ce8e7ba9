"""Write a file whole or not at all."""

from __future__ import annotations

from pathlib import Path

from odokit.errors import ExportError


def write_whole(path: Path, data: bytes) -> None:
    """Write a file by way of a partial one beside it, making its folder.

    Raises:
        ExportError: It cannot be written.
    """
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        raise ExportError(
            f"{path} cannot be written: {error.strerror}. Choose another file."
        ) from error
