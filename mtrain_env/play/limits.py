"""What the server bears: sizes, numbers and times."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of one server; tests shorten some."""

    frame: int = 4096
    """Bytes of a message from the page."""
    body: int = 2048
    """Bytes of a posted body."""
    record: int = 4_000_000
    """Bytes of a record posted for replay."""
    games: int = 64
    """Games at a time; the next is refused."""
    replays: int = 16
    """Replays at a time; the one not used for longest is dropped."""
    connections: int = 8
    """Pages connected to one game."""
    messages_per_second: float = 40.0
    """Messages of one page, on the average; twice as many at once."""
    hello_seconds: float = 5.0
    """How long a socket may stay silent before it has shown its token."""
    idle_seconds: float = 3600.0
    """A game in which nothing happened for so long is dropped."""
    abandoned_seconds: float = 900.0
    """A game to which no page is connected is dropped after so long."""
    move_seconds: float = 60.0
    """A bot that needs longer is overruled, and the first legal action is taken."""
