/** Plane geometry of strokes. */
import type { Box, Point, Stroke } from "./ink";

type Line = Pick<Stroke, "points">;

/** The smallest box around all strokes, or null if there is no point. */
export function boundsOf(strokes: readonly Line[]): Box | null {
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

export function grown(box: Box, margin: number): Box {
  return {
    left: box.left - margin, top: box.top - margin, right: box.right + margin, bottom: box.bottom + margin,
    width: box.width + 2 * margin, height: box.height + 2 * margin,
  };
}

export const contains = (box: Box, x: number, y: number): boolean =>
  x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;

function distanceToSegment(x: number, y: number, [ax, ay]: Point, [bx, by]: Point): number {
  const dx = bx - ax, dy = by - ay;
  const length = dx * dx + dy * dy;
  const along = length ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length)) : 0;
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

/** How far a place is from the line of a stroke. */
export function distanceToStroke({ points }: Line, x: number, y: number): number {
  let nearest = Math.hypot(x - points[0][0], y - points[0][1]);
  for (let i = 1; i < points.length; i++) nearest = Math.min(nearest, distanceToSegment(x, y, points[i - 1], points[i]));
  return nearest;
}

/** The stroke nearest to a place, no farther than `reach`; the one written last where several are as near. */
export function strokeAt(strokes: readonly Stroke[], x: number, y: number, reach: number): Stroke | null {
  let found: Stroke | null = null, best = reach;
  for (const stroke of strokes) {
    const distance = distanceToStroke(stroke, x, y);
    if (distance <= best) {
      best = distance;
      found = stroke;
    }
  }
  return found;
}

export function insidePolygon(polygon: readonly Point[], x: number, y: number): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [ax, ay] = polygon[i], [bx, by] = polygon[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

export function pathLength(points: readonly Point[]): number {
  let length = 0;
  for (let i = 1; i < points.length; i++) length += Math.hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]);
  return length;
}

/** The same stroke elsewhere. */
export const moved = (stroke: Stroke, dx: number, dy: number): Stroke => ({
  ...stroke,
  points: stroke.points.map(([x, y, ...rest]) => [x + dx, y + dy, ...rest]),
});

/** Strokes scaled about the origin, then moved. */
export const placed = (strokes: readonly Stroke[], scale: number, dx: number, dy: number): Stroke[] =>
  strokes.map((stroke) => ({
    ...stroke,
    points: stroke.points.map(([x, y, ...rest]) => [x * scale + dx, y * scale + dy, ...rest]),
  }));
