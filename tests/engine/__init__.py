"""The rules, proven: positions, properties, and an independent reference in lock-step."""
