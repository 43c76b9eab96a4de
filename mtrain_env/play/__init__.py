"""The page on which people play against the opponents: server, games and what each seat is shown."""
