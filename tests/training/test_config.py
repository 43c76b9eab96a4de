"""Configuration files: read, changed, and refused with a sentence."""

import dataclasses
from pathlib import Path

import pytest

from mtrain_env.errors import ConfigError
from training.config import Config, describe, load_config

CONFIGS = sorted(Path("configs").glob("*.yaml"))


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_shipped_configs_load(path: Path) -> None:
    assert load_config(path).name == path.stem


def test_every_field_has_a_meaning() -> None:
    assert all(field.metadata["help"] for field in dataclasses.fields(Config))
    assert all(field.name in describe() for field in dataclasses.fields(Config))


def test_values_and_settings(tmp_path: Path) -> None:
    path = written(tmp_path, "rate: 1e-3\nhidden: [8, 4]\nhouse_rules: {num_rounds: 3}\n")
    config = load_config(path, ["players=[2,3]", "rate_end=1e-4", "overlap=false"])
    assert (config.name, config.rate, config.rate_end, config.hidden) == ("mine", 1e-3, 1e-4, (8, 4))
    assert config.overlap is False
    assert [rules.num_players for rules in config.all_rules()] == [2, 3]
    assert Config(**config.as_dict()).digest == config.digest


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("lerner: ppo", "'lerner' is no setting of training; did you mean 'learner'?"),
        ("learner: dqn", "learner must be one of value, ppo, got 'dqn'."),
        ("rounds: many", "rounds must be a whole number, got 'many'."),
        ("rounds: 0", "rounds must be at least 1, got 0."),
        ("node_cap: 0", "node_cap must be at least 1, got 0."),
        ("node_cap: 2000000", "node_cap must be at most 1000000, as in a bundle, got 2000000."),
        ("rate: -1", "rate must not be below 0, got -1.0."),
        ("rate: .nan", "rate must be a finite number, got nan."),
        ("td_lambda: 1.5", "td_lambda is a share and must be within 0..1, got 1.5."),
        ("overlap: 1", "overlap must be true or false, got 1."),
        ("critic: true", "critic is for the learner ppo, which judges states; got the learner value."),
        ("learner: ppo\ncritic: 1", "critic must be true or false, got 1."),
        ("seed: 1000000", "seed must be below 1000000: larger ones are for evaluation."),
        ("past_share: 0.6\nhard_share: 0.5", "past_share and hard_share together must leave seats"),
        ("rules: cora", "did you mean 'core'?"),
        ("players: [5]", "core"),
        ("house_rules: 3", "house_rules must be fields with values, got 3."),
        ("- a\n- b", "must be settings with values, not list."),
        ("a: [1", "is no YAML"),
    ],
)
def test_refused_with_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises((ConfigError, ValueError)) as error:
        load_config(written(tmp_path, text))
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_file_and_bad_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load_config(tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="write key=value"):
        load_config(written(tmp_path, "seed: 1"), ["rate"])
