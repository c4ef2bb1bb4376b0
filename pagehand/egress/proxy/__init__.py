"""The proxy that browsers go through: every connection is held to the egress policy."""
