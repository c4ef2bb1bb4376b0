"""A small library, as somebody would build it on Django: what the admin has to edit."""
