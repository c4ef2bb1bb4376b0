"""The HTTP API: parses requests, calls the services, and encodes responses."""
