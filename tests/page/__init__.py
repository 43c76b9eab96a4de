"""Tests of the page: the server alone, what a seat is shown, and the page in a browser."""
