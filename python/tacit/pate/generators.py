"""Global generators of randomness, which teachers must not share."""

from __future__ import annotations

import contextlib
import random
import secrets
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def fresh_generators() -> Iterator[None]:
    """The global generators of Python, NumPy and PyTorch, seeded by the system; afterwards they are as before.

    From a generator with a fixed seed, a teacher that draws more for an example more would move what all
    teachers after it draw, and so their votes.
    """
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    with contextlib.ExitStack() as kept:
        kept.callback(random.setstate, random.getstate())
        random.seed(secrets.randbits(256))
        if numpy is not None:
            kept.callback(numpy.random.set_state, numpy.random.get_state(legacy=False))
            numpy.random.seed([secrets.randbits(32) for _ in range(8)])
        if torch is not None:
            kept.callback(torch.set_rng_state, torch.get_rng_state())
            if torch.cuda.is_initialized():
                kept.callback(torch.cuda.set_rng_state_all, torch.cuda.get_rng_state_all())
            # Goes first: a device that nobody has used yet has no state, but will begin with the last seed.
            kept.callback(torch.manual_seed, torch.initial_seed())
            torch.manual_seed(secrets.randbits(63))
        yield
