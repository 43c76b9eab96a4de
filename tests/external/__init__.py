"""Bots that are programs."""
