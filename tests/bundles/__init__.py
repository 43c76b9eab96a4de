"""Tests of exported policies: round trip, readers that agree, and refusals."""
