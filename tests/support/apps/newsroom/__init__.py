"""A small news site on Wagtail."""
