"""Watching and driving a browser from afar: pictures out, input in."""
