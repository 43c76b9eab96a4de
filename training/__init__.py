"""Learning to play by self-play: `python -m training CONFIG`. Nothing in mtrain_env imports this package."""
