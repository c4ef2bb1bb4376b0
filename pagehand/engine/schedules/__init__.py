"""Schedules: workflows that start by the clock."""
