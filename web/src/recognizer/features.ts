/**
 * Ink to the network's input (paper §II-A), as `inktex/features.py` does for one ink: rows of
 * [x, y, Δx, Δy, Δ²x, Δ²y, pen down, pen up], and for every row the stroke that it came from.
 */
import type { MemberConfig } from "./modelfile";
import { InkError, type Stroke } from "./types";

export type FeatureOptions = MemberConfig["features"];

export interface Features {
  rows: Float32Array; // (N, 8)
  count: number; // N
  stroke: Int32Array; // (N,) stroke of the ink
}

const WIDTH = 8;
const MAX_ROWS = 4000; // feature rows of one expression; 200 symbols have about 1300
const MAX_POINTS = 1_000_000;

/** Points of all strokes, one after the other. */
interface Points {
  x: number[];
  y: number[];
  stroke: number[];
}

/** Features of an ink; InkError if there is nothing to read, or too much for one expression. */
export function extract(strokes: readonly Stroke[], options: FeatureOptions): Features {
  let points = checked(strokes);
  const unit = strokeUnit(points);
  points = removeRepeats(points, 1e-3 * unit);
  if (options.method === "polyline") {
    points = splitLong(simplify(points, options.tolerance * unit), options.spacing * unit);
  } else {
    points = spreadEvenly(points, options.spacing * unit);
    if (options.straight_cosine < 1) points = removeStraight(points, options.straight_cosine);
  }
  const features = rowsOf(points, unit, options.size === "deviation");
  if (features.count > MAX_ROWS)
    throw new InkError(
      `${strokes.length} strokes of ${features.count} feature points are too many for one expression (limit ${MAX_ROWS})`,
    );
  if (!features.rows.every(Number.isFinite)) throw new InkError("the range of its coordinates is too large");
  return features;
}

/** All points, if the strokes can be read at all. */
export function checked(strokes: readonly Stroke[]): Points {
  if (!strokes.length) throw new InkError("no strokes, so there is nothing to read");
  const points: Points = { x: [], y: [], stroke: [] };
  let largest = 0;
  strokes.forEach((stroke, number) => {
    if (!stroke.length) throw new InkError(`stroke ${number} has no points`);
    for (const [x, y] of stroke) {
      if (!Number.isFinite(x) || !Number.isFinite(y)) throw new InkError(`stroke ${number}: x and y must be finite numbers`);
      points.x.push(x);
      points.y.push(y);
      points.stroke.push(number);
      largest = Math.max(largest, Math.abs(x), Math.abs(y));
    }
  });
  if (points.x.length > MAX_POINTS) throw new InkError(`${points.x.length} points, more than the limit of ${MAX_POINTS}`);
  // Squares of coordinates must still be numbers.
  if (largest > 1e9 || (largest > 0 && largest < 1e-9)) {
    points.x = points.x.map((x) => x / largest);
    points.y = points.y.map((y) => y / largest);
  }
  return points;
}

const isFirst = ({ stroke }: Points, i: number): boolean => i === 0 || stroke[i] !== stroke[i - 1];
const isLast = ({ stroke }: Points, i: number): boolean => i === stroke.length - 1 || stroke[i] !== stroke[i + 1];

function keep({ x, y, stroke }: Points, wanted: (i: number) => boolean): Points {
  const places = x.map((_, i) => i).filter(wanted);
  return { x: places.map((i) => x[i]), y: places.map((i) => y[i]), stroke: places.map((i) => stroke[i]) };
}

/** Mean stroke diagonal; for dots alone the extent of the ink, for a single dot 1. */
function strokeUnit(points: Points): number {
  const { x, y } = points;
  const extent = (begin: number, end: number): number => {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = begin; i < end; i++) {
      left = Math.min(left, x[i]);
      right = Math.max(right, x[i]);
      top = Math.min(top, y[i]);
      bottom = Math.max(bottom, y[i]);
    }
    return hypot(right - left, bottom - top);
  };
  let [sum, count, begin] = [0, 0, 0];
  for (let i = 0; i < x.length; i++)
    if (isLast(points, i)) {
      sum += extent(begin, i + 1);
      count++;
      begin = i + 1;
    }
  return sum / count || extent(0, x.length) || 1;
}

/** Drop points nearer than `nearest` to the one before in the stroke. */
function removeRepeats(points: Points, nearest: number): Points {
  const { x, y } = points;
  return keep(points, (i) => isFirst(points, i) || hypot(x[i] - x[i - 1], y[i] - y[i - 1]) > nearest);
}

/** Ramer–Douglas–Peucker for every stroke; of points equally far the first one stays. */
function simplify(points: Points, tolerance: number): Points {
  const { x, y } = points;
  const kept = x.map((_, i) => isFirst(points, i) || isLast(points, i));
  const open: [number, number][] = [];
  let begin = 0;
  for (let i = 0; i < x.length; i++)
    if (isLast(points, i)) {
      open.push([begin, i]);
      begin = i + 1;
    }
  for (let segment = open.pop(); segment; segment = open.pop()) {
    const [left, right] = segment;
    const chordX = x[right] - x[left];
    const chordY = y[right] - y[left];
    const length2 = Math.max(chordX * chordX + chordY * chordY, 1e-300);
    let [farthest, middle] = [tolerance, -1];
    for (let i = left + 1; i < right; i++) {
      const awayX = x[i] - x[left];
      const awayY = y[i] - y[left];
      const along = Math.min(Math.max((chordX * awayX + chordY * awayY) / length2, 0), 1);
      const distance = hypot(awayX - along * chordX, awayY - along * chordY);
      if (distance > farthest) [farthest, middle] = [distance, i];
    }
    if (middle >= 0) {
      kept[middle] = true;
      open.push([left, middle], [middle, right]);
    }
  }
  return keep(points, (i) => kept[i]);
}

/** The points at positions, which are fractional between two points. */
function at({ x, y, stroke }: Points, positions: number[]): Points {
  const made: Points = { x: [], y: [], stroke: [] };
  for (const position of positions) {
    const low = Math.floor(position);
    const high = Math.min(low + 1, x.length - 1);
    const share = position - low;
    made.x.push(x[low] + share * (x[high] - x[low]));
    made.y.push(y[low] + share * (y[high] - y[low]));
    made.stroke.push(stroke[low]);
  }
  return made;
}

/** Points no farther apart than `spacing`, corners kept. */
function splitLong(points: Points, spacing: number): Points {
  const { x, y } = points;
  const positions: number[] = [];
  for (let i = 0; i + 1 < x.length; i++) {
    const length = isLast(points, i) ? 0 : hypot(x[i + 1] - x[i], y[i + 1] - y[i]);
    const parts = Math.max(Math.ceil(length / spacing), 1);
    for (let k = 0; k < parts; k++) positions.push(i + k / parts);
  }
  positions.push(x.length - 1);
  return at(points, positions);
}

/** Points spread evenly over every stroke, no farther apart than `spacing`. */
function spreadEvenly(points: Points, spacing: number): Points {
  const { x, y } = points;
  const positions: number[] = [];
  const walked = [0];
  for (let i = 0; i + 1 < x.length; i++)
    walked.push(walked[i] + (isLast(points, i) ? 0 : hypot(x[i + 1] - x[i], y[i + 1] - y[i])));
  let begin = 0;
  for (let end = 0; end < x.length; end++) {
    if (!isLast(points, end)) continue;
    const total = walked[end] - walked[begin];
    const parts = Math.ceil(total / spacing);
    let left = begin;
    for (let k = 0; k <= parts; k++) {
      const target = walked[begin] + total * (k / Math.max(parts, 1));
      while (left + 1 < end && walked[left + 1] <= target) left++;
      const gap = left < end ? hypot(x[left + 1] - x[left], y[left + 1] - y[left]) : 0;
      positions.push(left + (gap > 0 ? Math.min(Math.max((target - walked[left]) / gap, 0), 1) : 0));
    }
    begin = end + 1;
  }
  return at(points, positions);
}

/** Drop every second point that lies on a line (every second, so that long lines keep points). */
function removeStraight(points: Points, cosine: number): Points {
  const { x, y } = points;
  let begin = 0;
  return keep(points, (i) => {
    if (isFirst(points, i)) begin = i;
    if (begin === i || isLast(points, i) || (i - begin) % 2 === 0) return true;
    const [inX, inY, outX, outY] = [x[i] - x[i - 1], y[i] - y[i - 1], x[i + 1] - x[i], y[i + 1] - y[i]];
    const norm = hypot(inX, inY) * hypot(outX, outY);
    return (norm > 0 ? (inX * outX + inY * outY) / norm : -1) <= cosine;
  });
}

/** Centre, scale, and equation 2. */
function rowsOf(points: Points, strokeSize: number, byDeviation: boolean): Features {
  const { x, y } = points;
  const count = x.length;
  const steps = x.map((_, i) => (isLast(points, i) ? [0, 0] : [x[i + 1] - x[i], y[i + 1] - y[i]]));
  const weights = steps.map(([dx, dy]) => hypot(dx, dy));
  const least = 1e-9 * weights.reduce((a, b) => Math.max(a, b), 1e-9); // dots still have a mean
  let [total, meanX, meanY] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    weights[i] += least;
    total += weights[i];
    meanX += (weights[i] * (x[i] + (x[i] + steps[i][0]))) / 2;
    meanY += (weights[i] * (y[i] + (y[i] + steps[i][1]))) / 2;
  }
  meanX /= total;
  meanY /= total;
  let unit = strokeSize;
  if (byDeviation) {
    const deviation = (values: number[], axis: number, mean: number): number => {
      let spread = 0;
      for (let i = 0; i < count; i++) {
        const begin = values[i] - mean;
        const end = values[i] + steps[i][axis] - mean;
        spread += (weights[i] * (begin * begin + end * end + begin * end)) / 3;
      }
      return Math.sqrt(Math.max(spread / total, 0));
    };
    // A single upright line has no width: its height stands in, so that nothing explodes.
    unit = Math.max(deviation(x, 0, meanX), 0.25 * deviation(y, 1, meanY)) || 1;
  }
  const u = x.map((value) => (value - meanX) / unit);
  const v = y.map((value) => (value - meanY) / unit);
  const rows = new Float32Array(count * WIDTH);
  for (let i = 0; i < count; i++) {
    const next = Math.min(i + 1, count - 1);
    const after = Math.min(i + 2, count - 1); // no point after the next: the path ends there
    const lifted = isLast(points, i);
    rows.set([u[i], v[i], u[next] - u[i], v[next] - v[i], u[after] - u[i], v[after] - v[i], +!lifted, +lifted], i * WIDTH);
  }
  return { rows, count, stroke: Int32Array.from(points.stroke) };
}

const SPLIT = 2 ** 27 + 1;

/** The rest that `a * a` loses to rounding (Dekker). */
function squareRest(a: number, square: number): number {
  const scaled = SPLIT * a;
  const high = scaled - (scaled - a);
  const low = a - high;
  return high * high - square + 2 * high * low + low * low;
}

/** √(x² + y²), right to the last digit: where points lie equally far, the last digit decides which one stays. */
function hypot(x: number, y: number): number {
  const length = Math.sqrt(x * x + y * y);
  if (length === 0 || !Number.isFinite(length)) return Math.hypot(x, y);
  const [xx, yy, hh] = [x * x, y * y, length * length];
  const [large, small] = xx > yy ? [xx, yy] : [yy, xx];
  const over = hh - large - small + (squareRest(length, hh) - squareRest(x, xx) - squareRest(y, yy));
  return length - over / (2 * length);
}
