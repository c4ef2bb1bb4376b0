"""A small news site, as somebody would build it on Wagtail."""
