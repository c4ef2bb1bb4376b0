"""A small library on Django, to edit in the admin."""
