"""The list of uncovered doubles, in the order laid: laid this turn, waiting, or asleep (R16-R19)."""

from typing import Any

from mtrain_env._jit import int64, jit
from mtrain_env.engine.state import ANY, ASLEEP, CHAIN_TURN, LAID, UNLESS_FOLLOWED, WAITING


@jit
def remove_double(s: Any, i: int) -> None:
    """Take entry `i` out of the list of uncovered doubles; the order of the others stays (R17)."""
    count = int64(s["double_count"]) - 1
    s["double_count"] = count
    for k in range(i, count):
        s["double_train"][k] = s["double_train"][k + 1]
        s["double_state"][k] = s["double_state"][k + 1]
    find_duty(s)


@jit
def find_duty(s: Any) -> None:
    """R17: the double to be satisfied now is the waiting one that was laid first."""
    s["duty_train"] = -1
    for i in range(int64(s["double_count"])):
        if s["double_state"][i] == WAITING:
            s["duty_train"] = s["double_train"][i]
            return


@jit
def cover_double(s: Any, train: int) -> None:
    """R16: a tile on `train` covers an uncovered double at its end."""
    for i in range(int64(s["double_count"])):
        if s["double_train"][i] == train:
            remove_double(s, i)
            return


@jit
def lapse_doubles(s: Any) -> None:
    """R19: an uncovered double whose number lies wholly face up owes nothing and never waits; never a Wild (D9)."""
    i = 0
    while i < int64(s["double_count"]):
        number = int64(s["train_end"][int64(s["double_train"][i])])
        if number != ANY and int64(s["seen_count"][number]) == int64(s["max_pip"]) + 1:
            remove_double(s, i)
        else:
            i += 1


@jit
def drop_laid_doubles(s: Any) -> None:
    """R13, R16: doubles of this turn make no duty."""
    i = 0
    while i < int64(s["double_count"]):
        if s["double_state"][i] == LAID:
            remove_double(s, i)
        else:
            i += 1


@jit
def wake_doubles(s: Any) -> None:
    """R17: once every seat has had its first turn, sleeping doubles join the waiting ones in the order laid."""
    for i in range(int64(s["double_count"])):
        if s["double_state"][i] == ASLEEP:
            s["double_state"][i] = WAITING
    find_duty(s)


@jit
def settle_doubles(s: Any) -> None:
    """R16, R17: the turn ends; its uncovered doubles wait, or sleep after a first-turn chain, or are done with."""
    chain = s["turn"] == CHAIN_TURN
    if not chain and s["double_duty"] == UNLESS_FOLLOWED and s["last_was_double"] == 0:
        drop_laid_doubles(s)
    for i in range(int64(s["double_count"])):
        if s["double_state"][i] == LAID:
            s["double_state"][i] = ASLEEP if chain else WAITING
    find_duty(s)
