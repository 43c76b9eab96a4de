"""Tests of the encodings: what the arrays say, that they give nothing away, and that they say enough."""
