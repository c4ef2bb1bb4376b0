"""The language of workflows: envelopes, the tree and its edits, templates, conditions. Pure data, no I/O."""
