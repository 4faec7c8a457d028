/** The ink of a drawing: freehand elements of Excalidraw as lists of points, in the order in which they were drawn. */
export function strokesOf(elements) {
  return elements.filter(({ type, isDeleted }) => type === "freedraw" && !isDeleted).map(stroke);
}

/** Points are relative to the element, which may be turned about the middle of its box. */
function stroke({ x, y, points, angle = 0 }) {
  const xs = points.map(([px]) => px), ys = points.map(([, py]) => py);
  const middle = [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
  const cos = Math.cos(angle), sin = Math.sin(angle);
  return points.map(([px, py]) => {
    const dx = px - middle[0], dy = py - middle[1];
    return [x + middle[0] + dx * cos - dy * sin, y + middle[1] + dx * sin + dy * cos];
  });
}
