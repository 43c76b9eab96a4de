"""Tests of the bots: legal, fair, reproducible, and as strong as their level says."""
