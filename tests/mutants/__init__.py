"""Faults planted on purpose, to see whether the tests named after a rule notice: `python -m tests.mutants`."""
