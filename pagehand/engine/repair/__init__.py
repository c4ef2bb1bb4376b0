"""What a run does when an element is gone or a block fails: healing, and the model's proposals."""
