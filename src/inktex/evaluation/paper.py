"""The published figures that ours stand beside: Table I of Zhang, Du and Dai (ICDAR 2017), section III-A.

Correct expression recognition rates in percent on the CROHME 2014 test set. I to VII are the systems of the
competition (III is left out there, since it used further training data), P1 the paper's network without
coverage, P2 with it, P3 an ensemble of five.
"""

from dataclasses import dataclass

PAPER_DATA = "test2014"


@dataclass(frozen=True)
class Published:
    """One line of the paper's table."""

    system: str
    exact: float
    within_1: float
    within_2: float
    within_3: float


COMPETITION = (
    Published("I", 37.22, 44.22, 47.26, 50.20),
    Published("II", 15.01, 22.31, 26.57, 27.69),
    Published("IV", 18.97, 28.19, 32.35, 33.37),
    Published("V", 18.97, 26.37, 30.83, 32.96),
    Published("VI", 25.66, 33.16, 35.90, 37.32),
    Published("VII", 26.06, 33.87, 38.54, 39.96),
)
PAPER = (
    Published("P1", 42.49, 57.91, 60.45, 61.56),
    Published("P2", 46.86, 61.87, 65.82, 66.63),
    Published("P3", 52.43, 68.05, 71.50, 72.31),
)
