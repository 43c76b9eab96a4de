"""The tests, in the folders of what they test; tests/reference is a second, slow engine by other hands."""
