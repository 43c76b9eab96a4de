"""The bots that come with the library; `mtrain_env.bot.make_bot` makes them by name."""
