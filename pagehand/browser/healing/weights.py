"""How much each feature counts; `benchmarks/healing.py` measures the result."""

from typing import Final

WEIGHTS: Final = {
    "name": 1.75,
    "nameEqual": 0.5,
    "nameRarity": 2.0,
    # disagreement counts against an element; what both lack is neutral
    "nameApart": -1.25,
    "nameAlone": 3.0,
    "nameLost": -0.75,
    # a counter in a name may change, the number of a series (`Row 3`) may not
    "numberApart": -4.0,
    "address": 1.5,
    "addressEqual": 0.75,
    "pathEqual": 1.5,
    "addressApart": -1.75,
    "addressLost": -0.75,
    "fragmentEqual": 0.5,
    "id": 0.75,
    "idEqual": 1.0,
    "classes": 1.75,
    "classesEqual": 1.25,
    "attributes": 2.25,
    "attributeRarity": 0.5,
    "field": 1.0,
    "placeholder": 1.0,
    "label": 1.0,
    "hint": 0.75,
    "image": 0.75,
    "row": 1.0,
    # rare words around an element are what distinguishes twins; see the design note
    "rowRarity": 4.0,
    "rowApart": -2.5,
    "near": 1.5,
    "nearRarity": 4.0,
    "far": 1.5,
    "farRarity": 4.0,
    "before": 0.5,
    "beforeRarity": 1.25,
    "after": 0.5,
    "afterRarity": 1.0,
    "heading": 0.75,
    "landmark": 0.75,
    "ancestors": 0.5,
    # place and tag are weak alone (2 to 49 % right): tie-breakers only
    "path": 0.25,
    "tag": 0.25,
    "role": 0.25,
    "hosts": 0.25,
    "frame": 0.5,
}
NONE_SHARE: Final = 0.4
"""The score of "none of them", as a share of what the element itself would score unchanged …"""
NONE_RANGE: Final = (4.5, 7.0)
"""… and its bounds: what the best must beat to be believed."""
RIVALS: Final = 15
"""How many elements most like it are remembered beside an element."""
