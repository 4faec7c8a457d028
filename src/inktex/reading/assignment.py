"""The cheapest assignment of every row to a column of its own (Hungarian method, by shortest paths).

`costs` is (rows, columns) with rows <= columns; the result is the column of every row. Written here so that
recognition does not need scipy.
"""

import numpy as np
from numpy.typing import NDArray


def cheapest_assignment(cost: NDArray[np.float64]) -> NDArray[np.int64]:
    """(rows,) different columns whose costs have the smallest sum."""
    rows, columns = cost.shape
    if rows > columns:
        raise ValueError(f"{rows} rows cannot have different ones of {columns} columns")
    row_price, column_price = np.zeros(rows), np.zeros(columns)
    row_of = np.full(columns, -1)
    for new in range(rows):
        # Dijkstra from the new row over reduced costs, which are never negative, to a free column.
        distance = np.full(columns, np.inf)
        came_from = np.full(columns, -1)
        done = np.zeros(columns, dtype=bool)
        row, reached, column = new, 0.0, -1
        while True:
            through = reached + cost[row] - row_price[row] - column_price
            better = ~done & (through < distance)
            distance[better] = through[better]
            came_from[better] = column
            column = int(np.where(done, np.inf, distance).argmin())
            reached = float(distance[column])
            done[column] = True
            if row_of[column] < 0:
                break
            row = int(row_of[column])
        row_price[new] += reached
        settled = done & (row_of >= 0)
        row_price[row_of[settled]] += reached - distance[settled]
        column_price[settled] -= reached - distance[settled]
        while column >= 0:
            before = int(came_from[column])
            row_of[column] = new if before < 0 else row_of[before]
            column = before
    assigned = np.empty(rows, dtype=np.int64)
    taken = np.flatnonzero(row_of >= 0)
    assigned[row_of[taken]] = taken
    return assigned
