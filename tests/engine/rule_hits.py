"""Which rules a decision exercised: read off the record before and after it, for the count of hits per rule id."""
from typing import Any
def rule_hits(before: Any, text: str, after: Any) -> set[str]:
    return set()
