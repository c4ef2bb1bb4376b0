"""Pagehand runs browser-automation workflows as a self-hosted service."""
