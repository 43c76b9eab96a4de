"""Random consistent rules: every field and value of RULES.md section 9, often small, so that rare cases occur."""

from __future__ import annotations

import random

from mtrain_env.rules import CHOICES, Rules, RulesError


def random_rules(chance: random.Random, **fixed: object) -> Rules:
    """Any consistent rules with the given fields; fields that contradict each other would loop for ever."""
    while True:
        fields: dict[str, object] = {name: chance.choice(CHOICES[name]) for name in CHOICES}
        fields |= {
            "num_players": chance.choice((2, 2, 3, 3, 4, 4, 5, 6, 8, 12, 16)),
            "max_pip": chance.choice((3, 3, 6, 6, 9, 12, 15, 18)),
            "hand_size": chance.choice((2, 3, 4, 5, 7, 10, 12, 15)),
            "num_rounds": chance.choice(("all", 1, 2, 3, 4)),
            "finish_first_lap": chance.random() < 0.4,
            "own_train_first": chance.random() < 0.2,
            "failed_cover_marker_off_any": chance.random() < 0.4,
            "double_blank_points": chance.choice((0, 50)),
            "special_tiles": chance.random() < 0.4,
            "derail_once": chance.random() < 0.5,
        }
        if fields["special_tiles"]:
            fields |= {"double_follow_up": "on_double", "double_duty": "table", "first_turn": "single"}
        fields |= fixed
        if fields["opening_source"] == "hunt":
            fields["starter"] = None
        else:
            fields["opening_turn"] = None
        if not fields["special_tiles"]:
            fields["derail"] = fields["derail_once"] = None
        try:
            return Rules(**fields)
        except RulesError:
            continue
