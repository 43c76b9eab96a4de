"""Short recipes for other people's RL libraries: each one trains, measures and exports (docs/recipes.md)."""
