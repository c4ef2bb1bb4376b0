"""Workflow files: one workflow as YAML to be read, reviewed and kept in version control.

`check_file` reads one and checks it as the service would; `write_file` writes one, always in the same words
and order; `differences` says in words what changes between two.
"""
