/** The shape that a pen leaves: points of a stroke in, a smooth line of varying width out. */
import type { Point } from "./ink";

export const PEN_WIDTH = 3.2; // of the middle line, in px at zoom 1
const STEP = 2.2; // spacing of the samples along the curve
const PARTS = 96; // samples in one path

interface Sample {
  x: number;
  y: number;
  width: number;
}

/** Points along a smooth curve through the stroke, each with its width. */
export function samplesOf(points: readonly Point[], width = PEN_WIDTH): Sample[] {
  const raw = points.map(([x, y, , pressure], i) => ({ x, y, width: width * weight(points, i, pressure) }));
  if (raw.length === 1) return [{ ...raw[0], width: width * 1.25 }];
  for (let i = 1; i < raw.length; i++) raw[i].width = raw[i - 1].width * 0.7 + raw[i].width * 0.3;
  const samples = [raw[0]];
  let from = raw[0];
  for (let i = 1; i < raw.length; i++) {
    // Quadratic curves from middle to middle: the points steer, the line has no corners.
    const to = i === raw.length - 1 ? raw[i] : middle(raw[i], raw[i + 1]);
    curve(samples, from, raw[i], to);
    from = to;
  }
  return samples;
}

function weight(points: readonly Point[], i: number, pressure: number | undefined): number {
  if (pressure !== undefined && pressure > 0 && pressure !== 0.5) return 0.45 + 1.1 * pressure;
  if (i === 0) return 1;
  const [x, y, time] = points[i], [px, py, before] = points[i - 1];
  const span = time - before;
  if (!(span > 0)) return 1;
  return 1.12 - 0.34 * Math.min(1, Math.hypot(x - px, y - py) / span / 2.5); // quick lines are thinner
}

const middle = (a: Sample, b: Sample): Sample => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, width: (a.width + b.width) / 2 });

function curve(samples: Sample[], from: Sample, over: Sample, to: Sample): void {
  const length = Math.hypot(over.x - from.x, over.y - from.y) + Math.hypot(to.x - over.x, to.y - over.y);
  const count = Math.max(1, Math.min(64, Math.ceil(length / STEP)));
  for (let i = 1; i <= count; i++) {
    const t = i / count, u = 1 - t;
    samples.push({
      x: u * u * from.x + 2 * u * t * over.x + t * t * to.x,
      y: u * u * from.y + 2 * u * t * over.y + t * t * to.y,
      width: u * from.width + t * to.width,
    });
  }
}

/**
 * The area of the line as paths to fill: discs, joined by the quadrilaterals between them. One path for all but long lines, which
 * have several, since the time to fill a path grows with the square of its parts.
 */
export function outlineOf(points: readonly Point[], width = PEN_WIDTH): Path2D[] {
  const paths: Path2D[] = [];
  const samples = samplesOf(points, width);
  samples.forEach(({ x, y, width: w }, i) => {
    if (i % PARTS === 0) paths.push(new Path2D());
    const path = paths[paths.length - 1];
    path.moveTo(x + w / 2, y);
    path.arc(x, y, w / 2, 0, 2 * Math.PI);
    if (!i) return;
    const before = samples[i - 1];
    const length = Math.hypot(x - before.x, y - before.y);
    if (!length) return;
    const nx = -(y - before.y) / length, ny = (x - before.x) / length;
    path.moveTo(before.x + (nx * before.width) / 2, before.y + (ny * before.width) / 2);
    path.lineTo(before.x - (nx * before.width) / 2, before.y - (ny * before.width) / 2);
    path.lineTo(x - (nx * w) / 2, y - (ny * w) / 2);
    path.lineTo(x + (nx * w) / 2, y + (ny * w) / 2);
    path.closePath();
  });
  return paths;
}

/** The line as SVG path data, smooth in the same way. */
export function svgPathOf(points: readonly Point[]): string {
  const at = ([x, y]: Point): string => `${round(x)} ${round(y)}`;
  if (points.length === 1) return `M${at(points[0])}h0.01`;
  let path = `M${at(points[0])}`;
  for (let i = 1; i < points.length - 1; i++) {
    const [x, y] = points[i], [nx, ny] = points[i + 1];
    path += `Q${at(points[i])} ${at([(x + nx) / 2, (y + ny) / 2])}`;
  }
  return `${path}L${at(points[points.length - 1])}`;
}

const round = (value: number): number => Math.round(value * 100) / 100;
