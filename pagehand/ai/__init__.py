"""The language model behind one gateway: asked where code cannot know, bounded, and checked."""

from pagehand.ai.model import Gateway, RunModel

__all__ = ["Gateway", "RunModel"]
