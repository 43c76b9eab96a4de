"""Actions, observations, candidate rows and records: how a game is told to programs."""
