"""What a page says, without a model: finding by words and reading by schema."""
