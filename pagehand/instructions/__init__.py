"""Plain sentences become blocks, without a model."""
