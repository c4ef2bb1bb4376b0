"""The HTTP interface: operations in, JSON out; no work of its own."""
