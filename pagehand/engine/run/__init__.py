"""One attempt at an execution: the walk through the blocks, and what each of them is given."""
