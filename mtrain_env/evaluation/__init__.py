"""How strong bots are: paired matches, intervals, reports."""
