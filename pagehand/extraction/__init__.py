"""Reading data out of a page without a model: a snapshot in, data in the shape of a JSON Schema out."""
