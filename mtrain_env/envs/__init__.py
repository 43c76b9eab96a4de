"""Environments: PettingZoo (`mexican_train_v0`), Gymnasium (one learner among bots) and vectors of games.

Importing this package registers `mtrain_env/MexicanTrain-v0` with Gymnasium and, from PettingZoo 1.27 on,
`mtrain_env/mexican_train_v0` with PettingZoo.
"""

import gymnasium
import pettingzoo  # type: ignore[import-untyped]

GYMNASIUM_ID = "mtrain_env/MexicanTrain-v0"
PETTINGZOO_ID = "mtrain_env/mexican_train_v0"


def _register() -> None:
    if GYMNASIUM_ID not in gymnasium.registry:
        gymnasium.register(
            GYMNASIUM_ID,
            entry_point="mtrain_env.envs.single:MexicanTrainEnv",
            vector_entry_point="mtrain_env.envs.vector:MexicanTrainVectorEnv",
        )
    register = getattr(pettingzoo, "register", None)  # new in PettingZoo 1.27
    if register is not None:
        register("aec", PETTINGZOO_ID, entry_point="mtrain_env.envs.mexican_train_v0:env")
        register("parallel", PETTINGZOO_ID, entry_point="mtrain_env.envs.mexican_train_v0:parallel_env")


_register()
