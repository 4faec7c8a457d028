// Plane geometry of strokes. A stroke's points are [x, y, time, pressure]; y points down.

/** The smallest box around all strokes, or null if there is no point. */
export function boundsOf(strokes) {
  let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
  for (const stroke of strokes) {
    for (const [x, y] of stroke.points) {
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    }
  }
  return left === Infinity ? null : { left, top, right, bottom, width: right - left, height: bottom - top };
}

export function grown(box, margin) {
  return {
    left: box.left - margin, top: box.top - margin, right: box.right + margin, bottom: box.bottom + margin,
    width: box.width + 2 * margin, height: box.height + 2 * margin,
  };
}

export const contains = (box, x, y) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

function distanceToSegment(x, y, [ax, ay], [bx, by]) {
  const dx = bx - ax, dy = by - ay;
  const length = dx * dx + dy * dy;
  const along = length ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length)) : 0;
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

/** How far a place is from the line of a stroke. */
export function distanceToStroke(stroke, x, y) {
  const points = stroke.points;
  let nearest = Math.hypot(x - points[0][0], y - points[0][1]);
  for (let i = 1; i < points.length; i++) {
    nearest = Math.min(nearest, distanceToSegment(x, y, points[i - 1], points[i]));
  }
  return nearest;
}

/** The stroke nearest to a place, no farther than `reach`; the one written last where several are as near. */
export function strokeAt(strokes, x, y, reach) {
  let found = null, best = reach;
  for (const stroke of strokes) {
    const distance = distanceToStroke(stroke, x, y);
    if (distance <= best) {
      best = distance;
      found = stroke;
    }
  }
  return found;
}

export function insidePolygon(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [ax, ay] = polygon[i], [bx, by] = polygon[j];
    if ((ay > y) !== (by > y) && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

export function pathLength(points) {
  let length = 0;
  for (let i = 1; i < points.length; i++) {
    length += Math.hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]);
  }
  return length;
}

/** The same stroke elsewhere. */
export const moved = (stroke, dx, dy) => ({
  ...stroke,
  points: stroke.points.map(([x, y, ...rest]) => [x + dx, y + dy, ...rest]),
});

/** Strokes scaled about the origin, then moved. */
export const placed = (strokes, scale, dx, dy) => strokes.map((stroke) => ({
  ...stroke,
  points: stroke.points.map(([x, y, ...rest]) => [x * scale + dx, y * scale + dy, ...rest]),
}));
