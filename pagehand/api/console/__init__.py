"""The web console: its page and bundle, who looks at it, and the stream of what changes."""
