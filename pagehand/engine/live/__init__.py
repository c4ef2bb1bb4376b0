"""Watching and driving running executions."""
