"""Why did it read this? Attention on the ink, strokes ↔ tokens, and what went wrong (paper, §III-B and C)."""

from .alignment import Alignment, align, align_strokes, sign_places
from .attention import point_attention, point_intensity, row_attention, stroke_attention

__all__ = [
    "Alignment",
    "align",
    "align_strokes",
    "point_attention",
    "point_intensity",
    "row_attention",
    "sign_places",
    "stroke_attention",
]
