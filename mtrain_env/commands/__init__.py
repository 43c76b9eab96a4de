"""The subcommands of `mtrain`, one module each, listed in `mtrain_env.cli.COMMANDS`."""
