"""Reading protobuf messages strictly: only fields that are asked for, single ones only once.

A lenient reader would skip a field that it does not know; here that is an error, so that nothing can hide.
"""

from collections.abc import Iterator, Mapping
from typing import Final, Self

INT: Final = 0
BYTES: Final = 2
FLOAT: Final = 5
MANY: Final = 8
"""Added to the kind of a field that may be repeated."""

Fields = Mapping[int, tuple[str, int]]
"""Name and kind of each allowed field of a message, by its number."""


class Malformed(ValueError):
    """The bytes are no such message; the text says why."""


class Message:
    """One message: its fields by name."""

    def __init__(self, values: Mapping[str, list[int | memoryview]]) -> None:
        self._values = values

    def __contains__(self, name: str) -> bool:
        return name in self._values

    @classmethod
    def read(cls, data: memoryview, fields: Fields) -> Self:
        """Read a message with these fields and no others."""
        values: dict[str, list[int | memoryview]] = {}
        for number, wire, value in _split(data):
            name, kind = fields.get(number, ("", -1))
            if kind == INT + MANY and isinstance(value, memoryview):
                values.setdefault(name, []).extend(_packed(value))
                continue
            if kind < 0 or wire != kind % MANY:
                raise Malformed(f"field {number} is not allowed beside {', '.join(n for n, _ in fields.values())}")
            if name in values and kind < MANY:
                raise Malformed(f"{name} is given twice")
            values.setdefault(name, []).append(value)
        return cls(values)

    def parts(self, name: str) -> list[memoryview]:
        """Return all values of a field of bytes."""
        return [value for value in self._values.get(name, []) if isinstance(value, memoryview)]

    def part(self, name: str) -> memoryview:
        """Return the value of a single field of bytes; empty if it is not there."""
        return next(iter(self.parts(name)), memoryview(b""))

    def texts(self, name: str) -> list[str]:
        """Return all values of a field of text."""
        return [bytes(part).decode("utf-8", "replace") for part in self.parts(name)]

    def text(self, name: str) -> str:
        """Return the value of a single field of text; empty if it is not there."""
        return next(iter(self.texts(name)), "")

    def numbers(self, name: str) -> tuple[int, ...]:
        """Return all values of a field of integers, as unsigned ones."""
        return tuple(value for value in self._values.get(name, []) if isinstance(value, int))

    def number(self, name: str) -> int:
        """Return the value of a single integer; 0 if it is not there."""
        return next(iter(self.numbers(name)), 0)


def _split(data: memoryview) -> Iterator[tuple[int, int, int | memoryview]]:
    """Number, wire type and value of each field; a float is given as its four bytes' integer."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        wire = key & 7
        if wire == INT:
            value, at = _varint(data, at)
            yield key >> 3, wire, value
            continue
        size = 4
        if wire == BYTES:
            size, at = _varint(data, at)
        elif wire != FLOAT:
            raise Malformed(f"field {key >> 3} is of an unknown kind")
        if at + size > len(data):
            raise Malformed("it is cut short")
        part = data[at : at + size]
        yield key >> 3, wire, part if wire == BYTES else int.from_bytes(part, "little")
        at += size


def _packed(data: memoryview) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return the integer that begins at `at`, and where it ends."""
    value = 0
    for shift in range(0, 64, 7):
        if at >= len(data):
            raise Malformed("it is cut short")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise Malformed("a number is too long")
