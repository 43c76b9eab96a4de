"""The rules as compiled kernels on one record: nothing here knows of rewards, text or rendering."""
