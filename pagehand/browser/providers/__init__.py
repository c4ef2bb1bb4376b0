"""One module per place a browser can come from."""
