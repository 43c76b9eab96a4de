"""TorchRL: clipped PPO over our vector of games, from the first step to a bundle.

    python -m training.recipes.torchrl -o runs/torchrl

It trains in one seat among scripted bots, exports the result and measures it against easy: `learned:runs/torchrl`
plays it. docs/recipes.md says what TorchRL needs, and what goes wrong otherwise.
"""

import sys
from collections.abc import Sequence

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from mtrain_env.rules import Rules
from training.recipes.one_seat import Settings, command_line, show, stack
from training.recipes.torchrl_games import Games


def train(settings: Settings, rules: Rules) -> tuple[nn.Module, nn.Module, int]:
    """Return the networks of the policy and of the value, and the decisions that they learned from."""
    torch.manual_seed(settings.seed)
    env = Games(settings, rules)
    policy, value = stack(env.width, settings.hidden, env.moves), stack(env.width, settings.hidden, 1)
    actor = ProbabilisticActor(
        TensorDictModule(policy, ["observation"], ["logits"]),
        in_keys=["logits", "mask"],
        distribution_class=MaskedCategorical,
        spec=env.action_spec,
        return_log_prob=True,
    )
    critic = ValueOperator(value, in_keys=["observation"])
    loss = ClipPPOLoss(
        actor,
        critic,
        clip_epsilon=settings.clip,
        entropy_coeff=settings.entropy_cost,
        critic_coeff=settings.value_cost,
        loss_critic_type="l2",
        normalize_advantage=True,
    )
    advantages = GAE(gamma=1.0, lmbda=settings.smoothing, value_network=critic)
    optimiser = torch.optim.Adam(loss.parameters(), settings.rate, eps=1e-5)
    collector = Collector(
        env,
        actor,
        frames_per_batch=settings.frames,
        total_frames=settings.collections * settings.frames,
        auto_register_policy_transforms=False,
    )
    decisions = 0
    for data in collector:
        with torch.no_grad():
            rows = advantages(data).flatten()
        for _ in range(settings.epochs):
            for chosen in torch.split(torch.randperm(len(rows)), settings.batch):
                losses = loss(rows[chosen])
                optimiser.zero_grad()
                sum(part for name, part in losses.items() if name.startswith("loss_")).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), settings.largest_gradient)
                optimiser.step()
        decisions += len(rows)
        after = data["next"]
        show(decisions, after["reward"][after["done"]])
    collector.shutdown()
    return policy, value, decisions


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    return command_line("torchrl", train, arguments)


if __name__ == "__main__":
    sys.exit(main())
