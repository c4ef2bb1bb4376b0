"""Workflow files: one workflow as YAML to be read, reviewed and kept in version control.

`expanding` reads the short form, `shortening` and `writing` make it, always in the same words and order, and
`differences` says in words what changes between two workflows.
"""
