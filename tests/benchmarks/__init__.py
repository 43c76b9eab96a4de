"""Speed, measured beside peers in one run: `python -m tests.benchmarks.bench_speed`."""
