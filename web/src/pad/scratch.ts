/** Scratch-out: a stroke that goes to and fro over others takes them away. */
import { boundsOf, contains, grown, pathLength } from "./geometry";
import type { Point, Stroke } from "./ink";

const TURNS = 5; // times the pen turns back; letters such as m and w turn less often, and cover nothing
const COVER = 0.55; // share of a stroke that lies under the scribble

/** How often the pen turns back along the scribble's long direction, small wiggles not counted. */
function turnsBack(points: readonly Point[]): number {
  const best = [0, Math.PI / 4, Math.PI / 2, (3 * Math.PI) / 4].map((angle) => {
    const along = points.map(([x, y]) => x * Math.cos(angle) + y * Math.sin(angle));
    const reach = Math.max(...along) - Math.min(...along);
    const least = Math.max(6, reach * 0.3);
    let turns = 0, extreme = along[0], direction = 0;
    for (const place of along) {
      if (direction >= 0 && place > extreme) { extreme = place; direction = direction || 1; }
      else if (direction <= 0 && place < extreme) { extreme = place; direction = direction || -1; }
      else if (Math.abs(place - extreme) > least) {
        turns += 1;
        direction = -direction;
        extreme = place;
      }
    }
    return turns;
  });
  return Math.max(...best);
}

/** The strokes that a scribble crosses out; none if it is not a scribble. */
export function scratchedOut<S extends Pick<Stroke, "points">>(scribble: Pick<Stroke, "points">, strokes: readonly S[]): S[] {
  const { points } = scribble;
  const box = boundsOf([scribble]);
  if (points.length < 12 || !strokes.length || !box) return [];
  const diagonal = Math.hypot(box.width, box.height);
  if (turnsBack(points) < TURNS || diagonal < 18 || pathLength(points) < 3.2 * diagonal) return [];
  const area = grown(box, Math.max(4, Math.min(box.width, box.height) * 0.1));
  return strokes.filter((stroke) => {
    const under = stroke.points.filter(([x, y]) => contains(area, x, y) && near(points, x, y, diagonal * 0.18));
    return under.length >= COVER * stroke.points.length;
  });
}

const near = (points: readonly Point[], x: number, y: number, reach: number): boolean =>
  points.some(([px, py]) => Math.hypot(px - x, py - y) <= reach);
