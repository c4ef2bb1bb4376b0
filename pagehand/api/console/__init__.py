"""The web console: its page and bundle, the session of its user, and the stream of changes."""
