"""Mexican Train for 2 to 16 seats: the specification of the environment `mexican_train_v0`.

    env = mexican_train_v0.env(rules="core")     # seats move one after the other (AEC), picky about the order of calls
    env = mexican_train_v0.raw_env(...)          # the same without the check that agent_iter is used as it must be
    env = mexican_train_v0.parallel_env(...)     # every seat sends an action, all but one of them `wait`

All take the same arguments, and have the same game behind them: the seed s gives the game of `Game(rules, s)`.

# Arguments

| argument | values (the first is the default) | |
|---|---|---|
| rules | "core", a name, a `Rules`, a dict | what is played (RULES.md); a dict has fields and a `preset` |
| num_players | None, 2..16 | overrides that of the rules |
| episode | "game", "round" | a whole game, or one round |
| reward | "relative", "pips", "win" | see below |
| illegal | "raise", "terminate", "first_legal" | what an illegal action does, see below |
| mask_in | "observation", "infos" | where the action mask is |
| skip_forced | False, True | a seat with one legal action is not asked; what is paid meanwhile is kept |
| render_mode | None, "ansi", "svg", "rgb_array", "human" | |
| render_seat | None, 0.. | whose hand is shown; None shows the table without hands |

# Agents and turns

Agents are `player_0`, `player_1`, .. for the seats, clockwise. Who is to move is `agent_selection`; after a draw, after
a double and within a first-turn chain the same agent moves again. In an episode of a whole game a new round begins in
the same step in which the last one ends. All agents end together; nothing is ever truncated.

# Observation

float32[size] in [0, 1], everything relative to the observing seat: `ObservationLayout(rules)` (`obs/1`) names, sizes
and explains each slice. It holds what a seat may know (RULES.md R26, R27) and nothing more. `observe` may be called
for any agent at any time, changes nothing, and gives a new array each time.

The mask, int8[num_actions], is 1 at legal actions. With mask_in="observation" observations are a dict of `observation`
and `action_mask` and infos are empty; with "infos" observations are the plain vector and each info is the mask alone.
The agent to move always has a legal action. Every other agent's mask is all 0, and so are all masks after the end; in
the parallel environment such agents may `wait` instead.

# Actions

Discrete(num_actions): `ActionLayout(rules)` (`act/1`) translates ids. An id always means the same under given rules.

# Rewards

Paid to all seats at once when a round ends; everything else is 0. Their sum over `last()` is what the record gives.

| reward | paid to a seat |
|---|---|
| relative | (mean pips of the others - own pips) / 100 |
| pips | -own pips / 100 |
| win | 1, shared by the winners; of the round by fewest pips if that is the episode, else of the game, at its end |

# Illegal actions and misuse

`illegal="raise"` raises IllegalAction, which lists what is allowed, and leaves the game as it was. "terminate" ends
the episode for all seats and pays -1 to the one that erred, 0 to the others. "first_legal" plays the lowest legal id
instead, for checkers that know no masks. What is no id at all (out of range, a float, a truth value) raises
InvalidAction; calls before `reset` or after the end raise OutOfOrder. All are one sentence, and all are `MtrainError`s.

# reset(seed, options)

The same seed gives the same episode. Without a seed the next episode follows from the random state; in a new
environment it is drawn from the system's entropy. In an episode of one round the opening double is drawn uniformly
from those of the order, the starter at random, and totals are 0. `options={"opening": 7, "starter": 2}` fixes either,
for this reset only. Where the opening double is hunted (R4), "starter" is the hunting seat: whoever lays the opening
double starts. Where the hunt finds it (`opening_order="random"`), "opening" is the one to be hunted.

# Positions

Environments can be copied and pickled in mid-game. `clone()` is the fastest way (it shares the spaces),
`to_bytes()` and `from_bytes(data)` the most portable: they hold the arguments too, but no window, and nothing of them
is unpickled. They hold the whole position, hidden tiles and all: give a player `observe`, not these.

# Versions

- v0: observations `obs/1` and actions `act/1`. Another meaning of either is another version.
"""

from mtrain_env.envs.aec import MexicanTrain, RawMexicanTrain
from mtrain_env.envs.parallel import ParallelMexicanTrain

env = MexicanTrain
raw_env = RawMexicanTrain
parallel_env = ParallelMexicanTrain

__all__ = ["env", "parallel_env", "raw_env"]
