"""What befalls a process that makes collections; other processes import it from here."""

from __future__ import annotations

import os
import signal

from atlas.render.workshop import Result, at_hand, make_one


def die(collection: str) -> Result:
    """End the process that is at work, as the system does with one that takes too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)
    return make_one(collection)


def lose_node(collection: str) -> Result:
    """End the Node process of this one."""
    os.kill(at_hand()[1].typesetter.process.pid, signal.SIGKILL)
    return make_one(collection)


def lose_shared_node(collection: str) -> Result:
    """End the Node that is shared, if it has not ended."""
    sharing = at_hand()[1].typesetter.sharing
    assert sharing is not None
    (address,) = sharing.addresses
    os.kill(address.pid, signal.SIGKILL)  # it keeps its id as long as the process that started it
    return make_one(collection)
