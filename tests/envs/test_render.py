"""Rendering: every mode shows the same table, in a frame of constant size."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import render_test  # type: ignore[import-untyped]

from mtrain_env.envs import GYMNASIUM_ID, mexican_train_v0
from mtrain_env.envs.render import HEIGHT, MODES, WIDTH, RecordGif, RenderError, save_gif
from mtrain_env.rules import Rules
from tests.envs.players import SHORT, midway, short_env


class FakePygame(SimpleNamespace):
    """As much of pygame as a window needs; remembers what was shown."""

    def __init__(self) -> None:
        self.shown: list[Any] = []
        screen = SimpleNamespace(blit=lambda surface, _: self.shown.append(surface))
        display = SimpleNamespace(set_caption=lambda _: None, set_mode=lambda size: screen, flip=lambda: None)
        super().__init__(
            init=lambda: None,
            quit=lambda: None,
            display=display,
            event=SimpleNamespace(pump=lambda: None),
            surfarray=SimpleNamespace(make_surface=lambda pixels: pixels),
        )


@pytest.fixture
def pygame(monkeypatch: pytest.MonkeyPatch) -> FakePygame:
    fake = FakePygame()
    monkeypatch.setitem(sys.modules, "pygame", fake)
    return fake


def test_pettingzoos_render_test(pygame: FakePygame) -> None:
    render_test(mexican_train_v0.env, custom_tests={"svg": lambda text: ElementTree.fromstring(text) is not None})
    assert pygame.shown


def test_gymnasiums_checker_has_nothing_to_say_of_any_mode(pygame: FakePygame) -> None:
    env = gymnasium.make(GYMNASIUM_ID, opponents=["easy"], illegal="first_legal", render_mode="human")
    check_env(env.unwrapped)
    assert pygame.shown


def test_a_window_shows_every_step_the_right_way_round(pygame: FakePygame) -> None:
    env = mexican_train_v0.env(render_mode="human")
    midway(env, 1, 3)
    assert len(pygame.shown) == 4 and pygame.shown[0].shape == (WIDTH, HEIGHT, 3)
    env.clone().close()
    env.close()
    env.close()


@pytest.mark.parametrize(("mode", "module", "name"), [("human", "pygame", "pygame-ce"), ("rgb_array", "PIL", "Pillow")])
def test_a_missing_package_is_named_in_a_sentence(
    mode: str, module: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # import says that there is none
    env = mexican_train_v0.env(render_mode=mode)
    with pytest.raises(RenderError, match=f"{name}.*pip install"):
        env.reset(seed=1)
        env.render()


@pytest.mark.parametrize("players", [2, 4, 16])
def test_frames_have_one_even_size_and_hold_every_table(players: int) -> None:
    assert WIDTH % 2 == HEIGHT % 2 == 0
    rules = Rules.preset("dominoplay", num_players=players)
    for mode in ("rgb_array", "svg"):
        env = mexican_train_v0.env(rules, render_mode=mode, render_seat=players - 1)
        frames = []
        for steps in (0, 30, 200):
            midway(env, players, steps)
            frames.append(env.render())
        if mode == "rgb_array":
            assert {(frame.shape, frame.dtype.name) for frame in frames} == {((HEIGHT, WIDTH, 3), "uint8")}
            assert not np.array_equal(frames[0], frames[1])
        else:
            for frame in frames:
                root = ElementTree.fromstring(frame)
                for part in root:
                    assert 0 <= float(part.get("x", 0)) < WIDTH and 0 <= float(part.get("y", 0)) < HEIGHT


def test_text_shows_trains_ends_markers_and_a_hand_only_if_asked() -> None:
    env = short_env(render_mode="ansi", render_seat=1)
    midway(env, 3, 60)
    text = env.render()
    state = env.tables.games[0]
    assert text.startswith("core: round 1 of 2, opening double 12-12, boneyard ")
    assert text.count(" end ") == 5
    assert (" (open" in text) == bool(state["markers"])
    assert f"> P{int(state['seat'])} " in text and "hand of P1: " in text
    for tile in text.partition("hand of P1: ")[2].split():
        low, high = map(int, tile.split("-"))
        assert state["tile_place"][high * (high + 1) // 2 + low] == 1
    plain = short_env(render_mode="ansi")
    midway(plain, 3, 60)
    assert plain.render() == text.partition("  hand of")[0]


def test_special_tiles_are_shown() -> None:
    env = short_env("deluxe", render_mode="ansi", render_seat=0)
    texts = []
    for seed in range(20):
        env.reset(seed=seed)
        for _ in range(25):  # the last legal id is a special tile, if one can be played
            env.step(env.tables.actions[0, env.tables.counts[0] - 1])
            texts.append(env.render().partition("  hand of")[0])
    together = "\n".join(texts)
    for word in ("wild", "draw", "skip", "counter-clockwise", "must cover", "waiting"):
        assert word in together, word


def test_the_end_of_a_game_is_told() -> None:
    env = short_env(render_mode="ansi")
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        env.step(env.tables.actions[0, 0])
    assert "game over, " in env.render() and "won by P" in env.render()


def test_frames_become_a_gif_without_moviepy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image = pytest.importorskip("PIL.Image")
    monkeypatch.setitem(sys.modules, "moviepy", None)  # import says that there is none
    env = short_env(render_mode="rgb_array")
    midway(env, 1, 0)
    frames = [env.render()]
    for steps in (20, 40):
        midway(env, 1, steps)
        frames.append(env.render())
    save_gif(frames, tmp_path / "game.gif")
    with image.open(tmp_path / "game.gif") as film:
        assert film.n_frames == 3 and film.size == (WIDTH, HEIGHT)
    with pytest.raises(RenderError, match="at least one frame"):
        save_gif([], tmp_path / "none.gif")


def test_episodes_are_recorded_as_gifs(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")

    def made(**settings: Any) -> gymnasium.Env[Any, Any]:
        return gymnasium.make(GYMNASIUM_ID, rules={"preset": "core", **SHORT}, episode="round", **settings)

    env = RecordGif(made(opponents=["easy"], render_mode="rgb_array"), tmp_path, trigger=lambda episode: episode != 1)
    lengths = []
    for seed in (1, 2, 3):
        env.reset(seed=seed)
        over, steps = False, 1
        while not over and not (seed == 3 and steps == 4):  # the third is cut off
            _, _, over, _, _ = env.step(int(env.get_wrapper_attr("action_masks")().argmax()))
            steps += 1
        lengths.append(steps)
    env.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["episode-0.gif", "episode-2.gif"]
    for episode in (0, 2):
        with image.open(tmp_path / f"episode-{episode}.gif") as film:
            assert 1 < film.n_frames <= lengths[episode]  # equal frames in a row are one
    with pytest.raises(RenderError, match="needs render_mode='rgb_array', got None"):
        RecordGif(made(), tmp_path)


def test_without_a_mode_render_warns() -> None:
    env = short_env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="give the environment a render_mode"):
        assert env.render() is None
    assert set(env.metadata["render_modes"]) == set(MODES)
