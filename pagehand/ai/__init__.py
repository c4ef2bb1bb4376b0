"""The language model behind one gateway: its prompts redacted, its answers validated, its use limited."""

from pagehand.ai.gateway import Gateway
from pagehand.ai.model import RunModel

__all__ = ["Gateway", "RunModel"]
