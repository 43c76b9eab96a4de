"""Oracles: experts that see what no player may, for upper bounds. They are not fair and barred from ratings.

`oracle` sees all hands and the boneyard in order: one rollout a choice, on the true game. `oracle:hands` sees all
hands; the boneyard is shuffled for each rollout.
"""

from typing import Final

from mtrain_env.bots import rollout
from mtrain_env.bots.expert import Expert, Options, options
from mtrain_env.errors import BotError

HANDS: Final = "hands"
USUAL: Final = Options(gate=0.0)
USUAL_HANDS: Final = Options(rollouts=40, gate=0.0)


def make(text: str = "") -> Expert:
    """Return the oracle: `` sees everything, `hands` all hands; options may follow, as expert.options."""
    word, _, rest = text.partition(":")
    if word == HANDS:
        searched = options("oracle:hands", rest, USUAL_HANDS)
        return Expert(f"oracle:hands{searched.text(USUAL_HANDS)}", searched, rollout.ALL_HANDS)
    searched = options("oracle", text, USUAL)
    if searched.rollouts != USUAL.rollouts or searched.ms:
        raise BotError("The bot 'oracle' plays a choice out once: it takes neither rollouts nor ms.")
    return Expert(f"oracle{searched.text(USUAL)}", searched, rollout.EVERYTHING)
