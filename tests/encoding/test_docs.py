"""The generated page of observations is up to date."""

from pathlib import Path

from mtrain_env.encoding.docs import PATH, text


def test_the_page_is_up_to_date() -> None:
    page = Path(__file__).parents[2] / PATH
    assert page.read_text(encoding="utf-8") == text(), f"run: python -m mtrain_env.encoding.docs {PATH}"
