"""One module per vendor of remote browsers."""
