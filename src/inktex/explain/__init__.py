"""Why did it read this? Attention on the ink, strokes ↔ tokens, and what went wrong (paper, §III-B and C)."""

from .alignment import Alignment, align, align_strokes, sign_places
from .attention import intensity_at, point_attention, row_attention, stroke_attention
from .habits import join_scores

__all__ = [
    "Alignment",
    "align",
    "align_strokes",
    "intensity_at",
    "join_scores",
    "point_attention",
    "row_attention",
    "sign_places",
    "stroke_attention",
]
