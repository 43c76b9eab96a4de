"""The table of rules is complete and up to date, and every planted fault still applies."""

import pytest

from tests import rule_table
from tests.mutants.__main__ import applies
from tests.mutants.faults import FAULTS, Fault

IDS = [f"R{k}" for k in range(1, 28)] + [f"D{k}" for k in range(1, 14)]


def test_every_rule_has_a_clause() -> None:
    assert sorted(rule_table.clauses()) == sorted(IDS)


@pytest.mark.parametrize("rule", IDS)
def test_every_rule_has_a_function_and_a_test(rule: str) -> None:
    assert rule_table.functions()[rule], f"no function cites {rule} in the first line of its docstring"
    assert rule_table.tests()[rule], f"no test is named test_{rule.lower()}_..."


def test_rules_decided_outside_the_engine() -> None:
    # announcing a last tile is for readers of records and pages; no kernel asks for it
    assert rule_table.outside_engine() == ["R25"]


def test_the_table_is_up_to_date() -> None:
    found = rule_table.TABLE.read_text("utf-8")
    assert found == rule_table.table(), "run `python -m tests.rule_table`"


def test_every_rule_has_a_fault() -> None:
    assert {fault.rule for fault in FAULTS} == set(IDS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.rule} {fault.wrong}")
def test_every_fault_still_applies(fault: Fault) -> None:
    assert applies(fault), f"change tests/mutants/faults.py along with mtrain_env/{fault.file}"
    assert fault.new != fault.old
