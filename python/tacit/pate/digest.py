"""What public inputs are, in a few letters."""

from __future__ import annotations

import hashlib
import pickle
import sys
import types
from typing import Any

from tacit.errors import InputError


def digest(rows: Any) -> str:
    """The same for the same rows, also in another process. Raises InputError where that cannot be said."""
    told = hashlib.sha256()
    try:
        writer = _Writer(types.SimpleNamespace(write=told.update), protocol=5)
        writer.fast = True  # without notes of which are one object
        writer.dump(rows)
    except Exception as unknown:
        raise InputError(
            f"inputs in {type(rows).__name__} cannot be told from others",
            "keep",
            "give arrays, tensors, frames, or lists of numbers and texts; or keep nothing",
        ) from unknown
    return told.hexdigest()


class _Writer(pickle.Pickler):
    """Writes what arrays and frames hold, and not how it lies in memory."""

    def reducer_override(self, value: Any) -> Any:
        content = None if isinstance(value, type) else _content(value)
        return NotImplemented if content is None else (tuple, content)


def _content(value: Any) -> tuple[Any, ...] | None:
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(value, torch.Tensor):
        flat = value.detach().cpu().reshape(-1).contiguous()
        return str(value.dtype), tuple(value.shape), flat.view(torch.uint8).numpy().tobytes()
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        refers = value.dtype.hasobject or value.dtype.kind == "T"  # its bytes are addresses
        return value.dtype.str, value.shape, value.tolist() if refers else value.tobytes()
    if hasattr(value, "iloc"):  # pandas
        columns = value.items() if value.ndim == 2 else [("", value)]
        return ([(str(name), column.to_numpy()) for name, column in columns],)
    if hasattr(value, "to_pylist"):  # Arrow
        return (value.to_pylist(),)
    return (value.to_dict(as_series=False),) if hasattr(value, "iter_columns") else None  # polars
