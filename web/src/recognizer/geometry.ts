/**
 * Features for and against a line break, for the two classifiers of `lines.ts`. Lengths are relative to the height of the writing,
 * so that nothing depends on the unit of the ink; y points down. A port of `inktex/ink/line_features.py`.
 */
import tables from "./tables.json";
import type { Stroke } from "./types";

export const { window: WINDOW } = tables.lines;
const { recent: RECENT, next: NEXT, joined: JOINED } = tables.lines;

/** left, top, right, bottom */
export type Box = readonly [left: number, top: number, right: number, bottom: number];

/** A flat stroke with the strokes right above and below it. */
export interface Bar {
  first: number; // of the bar and these strokes, in the order of writing
  last: number;
  evidence: number[]; // of being the bar of a fraction
  passed: boolean; // the writing went on beside it, as after a minus, before anything was below it
}

/** Boxes of the strokes of an ink, in heights of the writing. */
export class Geometry {
  readonly unit: number;
  readonly points: readonly (readonly [number, number])[][];
  readonly boxes: readonly Box[];
  readonly width: number[];
  readonly height: number[];
  readonly middle: readonly (readonly [number, number])[];
  readonly jump: number[]; // how far each stroke is from the nearest of those just before it
  readonly flat: boolean[]; // strokes that may be bars of fractions: long, flat, and not half of an equals sign

  constructor(strokes: readonly Stroke[], unit?: number) {
    const boxes = strokes.map(boxOf);
    const size = (this.unit = unit || writingHeight(boxes));
    this.points = strokes.map((stroke) => stroke.map(([x, y]) => [x / size, y / size] as const));
    this.boxes = boxes.map(([left, top, right, bottom]) => [left / size, top / size, right / size, bottom / size]);
    this.width = this.boxes.map(([left, , right]) => right - left);
    this.height = this.boxes.map(([, top, , bottom]) => bottom - top);
    this.middle = this.boxes.map(([left, top, right, bottom]) => [(left + right) / 2, (top + bottom) / 2]);
    this.jump = this.boxes.map((box, i) => (i ? least(this.boxes.slice(Math.max(0, i - RECENT), i).map((other) => boxDistance(box, other))) : 0));
    this.flat = this.flatStrokes();
  }

  get length(): number {
    return this.boxes.length;
  }

  private flatStrokes(): boolean[] {
    const { boxes, width, height, middle } = this;
    const flat = boxes.map((_, i) => width[i] > 0.4 && height[i] < 0.35 * width[i]);
    const equals = flat.map((one, i) => {
      if (!i || !one || !flat[i - 1]) return false;
      const shared = Math.min(boxes[i][2], boxes[i - 1][2]) - Math.max(boxes[i][0], boxes[i - 1][0]);
      const long = Math.max(width[i], width[i - 1]);
      return shared > 0.55 * long && long < 2.2 && Math.abs(middle[i][1] - middle[i - 1][1]) < 0.7;
    });
    return flat.map((one, i) => one && !equals[i] && !equals[i + 1]);
  }

  /** Look at what is above and below a flat stroke, among those written about then. */
  bar(stroke: number): Bar {
    const { boxes, middle, height, flat } = this;
    const near = range(Math.max(0, stroke - WINDOW), Math.min(this.length, stroke + WINDOW + 1));
    const [left, top, right, bottom] = boxes[stroke];
    const level = (top + bottom) / 2;
    const width = right - left;
    const inside = near.filter(
      (i) => i !== stroke && middle[i][0] > left - 0.1 && middle[i][0] < right + 0.1 && Math.max(this.width[i], height[i]) > 0.2, // a dot is no numerator
    );
    let [first, last, count] = [stroke, stroke, 1];
    const begun = inside.find((i) => !(middle[i][1] < level)); // the first stroke below
    const sides = [true, false].map((above) => {
      const found = inside.filter((i) => middle[i][1] < level === above);
      if (!found.length) return new Array<number>(11).fill(0);
      const away = found.map((i) => (above ? level - boxes[i][3] : boxes[i][1] - level));
      const distance = least(away);
      const heart = middle[found[away.indexOf(distance)]][1];
      const group = found.filter((i) => (above ? boxes[i][3] >= heart - 0.15 : boxes[i][1] <= heart + 0.15));
      const [start, ceiling, end, floor] = around(group.map((i) => boxes[i]));
      const [begins, ends] = [group[0], group[group.length - 1]];
      [first, last, count] = [Math.min(first, begins), Math.max(last, ends), count + group.length];
      // Strokes beside the group that go on beyond the bar: then it is a line of its own.
      const goesOn = near.some((i) => {
        if (i === stroke || flat[i] || inside.includes(i)) return false;
        const [itsLeft, itsTop, itsRight, itsBottom] = boxes[i];
        const shared = Math.min(itsBottom, floor) - Math.max(itsTop, ceiling);
        if (!(shared > 0.4 * Math.min(height[i], floor - ceiling) + 1e-9)) return false;
        const after = itsLeft >= end - 0.1 && itsLeft < end + 0.9 && itsRight > right + 0.1;
        const before = itsRight <= start + 0.1 && itsRight > start - 0.9 && itsLeft < left - 0.1;
        return after || before;
      });
      return [
        1,
        Math.min(Math.max(distance, 0), 2),
        +(distance < 0.05),
        Math.max(0, 0.1 - distance),
        Math.max(0, 0.25 - distance),
        Math.min(Math.max(0, left - start, end - right), 1.5),
        Math.min((end - start) / width, 1),
        Math.log1p(Math.min(Math.abs(begins - stroke), Math.abs(ends - stroke))),
        +goesOn,
        +(group.length === 1 && end - start < 0.35 * width),
        Math.min(Math.abs(start + end - left - right) / (2 * width), 1),
      ];
    });
    const straddling = near.filter((i) => Math.abs(middle[i][1] - level) < 0.6 * Math.max(height[i], 0.3) && height[i] > 0.4);
    const evidence = [
      ...sides[0],
      ...sides[1],
      Math.log(this.width[stroke]),
      height[stroke] / this.width[stroke],
      Math.log((last - first + 1) / count),
      +straddling.some((i) => Math.abs(left - boxes[i][2]) < 0.6 && boxes[i][2] < left + 0.3),
      +straddling.some((i) => Math.abs(boxes[i][0] - right) < 0.6 && boxes[i][0] > right - 0.3),
      ...this.joins(stroke),
    ];
    const passed =
      begun !== undefined &&
      range(stroke + 1, begun).some((i) => {
        const [itsLeft, itsTop, , itsBottom] = boxes[i];
        return height[i] > 0.4 && itsTop < level && itsBottom > level && itsLeft > right - 0.3 && itsLeft < right + NEXT;
      });
    return { first, last, evidence, passed };
  }

  /**
   * How closely a bar touches the strokes written right before and after it, as parts of letters do. Last come stems that hang from
   * it or stand on it, as in T, and strokes that go on at its ends.
   */
  private joins(stroke: number): number[] {
    const { boxes, points, middle, height, width } = this;
    const finely = Math.trunc(Math.min(Math.max(16, 12 * width[stroke]), 100)); // a twelfth of the height apart
    const line = spread(points[stroke], finely);
    const ofLine = [line[0], line[line.length - 1]];
    const level = middle[stroke][1];
    let [nearest, ends, hangs, stands] = [9, 9, false, false];
    for (const other of range(Math.max(0, stroke - JOINED), Math.min(this.length, stroke + JOINED + 1))) {
      if (other === stroke || !(boxDistance(boxes[stroke], boxes[other]) < 0.15)) continue;
      const its = points[other];
      const distance = closest(line, its);
      nearest = Math.min(nearest, distance);
      if (Math.abs(other - stroke) !== 1) continue;
      ends = Math.min(ends, closest([its[0], its[its.length - 1]], ofLine));
      const stem = distance < 0.12 && height[other] > Math.max(0.6, 1.5 * width[other]);
      hangs ||= stem && middle[other][1] > level + 0.3;
      stands ||= stem && middle[other][1] < level - 0.3;
    }
    return [Math.max(0, 1 - 10 * nearest), Math.max(0, 1 - 4 * nearest), +hangs, +stands, Math.max(0, 1 - 6 * ends)];
  }

  /** Places where a line may begin: the strokes that lie below those just before them. */
  places(): number[] {
    const level = this.middle.map(([, y]) => y);
    const at = (i: number): number => level[Math.min(Math.max(i, 0), level.length - 1)];
    const medianTo = (i: number): number => median([at(i - 2), at(i - 1), at(i)]);
    return range(1, level.length).filter((i) => medianTo(i + 2) > medianTo(i - 1) + 0.3 || level[i] > level[i - 1] + 0.5);
  }

  /** What speaks for a line break before stroke `place`, between the breaks at `low` and `high`. */
  cut(low: number, place: number, high: number, inFraction: number): number[] {
    [low, high] = [Math.max(low, place - WINDOW), Math.min(high, place + WINDOW)];
    const above = this.boxes.slice(low, place), below = this.boxes.slice(place, high);
    let [clear, steep] = [Infinity, Infinity];
    // What is aside may be lower by a slope, as lines rise or fall; a steep one lets lines interlock.
    const gentle = below.map((lower) => {
      let slope = Infinity;
      for (const upper of above) {
        const aside = Math.max(0, lower[0] - upper[2], upper[0] - lower[2]);
        const gap = lower[1] - upper[3];
        clear = Math.min(clear, aside < 0.5 ? gap : 9);
        steep = Math.min(steep, gap + 0.5 * aside);
        slope = Math.min(slope, gap + 0.15 * aside);
      }
      return slope;
    });
    const back = gentle.findIndex((each) => each < -0.3); // a stroke that goes up again
    const [left, , right, bottom] = around(above);
    const [nextLeft, nextTop, nextRight] = around(below);
    const [begin, beginTop] = below[0];
    const gap = nextTop - bottom;
    const returned = most(above.slice(-3).map((box) => box[2])) - begin;
    const [before, after] = [place - low, high - place];
    const [sizeBefore, sizeAfter] = [[Math.max(low, place - 12), place], [place, Math.min(high, place + 8)]].map(([from, to]) => {
      const upright = range(from, to).filter((i) => this.height[i] > 0.35 * this.width[i]); // no bars
      return upright.length ? median(upright.map((i) => this.height[i])) : 1;
    });
    const ratio = Math.log(Math.max(sizeAfter, 0.1) / Math.max(sizeBefore, 0.1));
    const level = this.middle[place][1] - median(this.middle.slice(Math.max(low, place - 5), place).map(([, y]) => y));
    const part = (value: number, limit: number): number => Math.min(Math.max(value, 0), limit);
    return [
      part(clear, 1.5),
      part(-clear, 1.5),
      part(least(gentle), 1.5),
      part(-least(gentle), 2),
      part(-least(gentle.slice(0, 4)), 2),
      part(steep, 1.5),
      part(-steep, 2),
      part(gap, 1.5),
      part(-gap, 2),
      +(back >= 0),
      +(back >= 0 && this.jump[place + back] < 1.2),
      part(returned, 6),
      part(-returned, 3),
      Math.min(Math.abs(left - nextLeft), 4),
      Math.min(Math.abs(left - begin), 4),
      inFraction,
      inFraction ** 2,
      +(before === 1),
      +(after === 1),
      +(before <= 3),
      +(after <= 3),
      part(ratio, 1.5),
      part(-ratio, 1.5),
      Math.min(this.jump[place], 4),
      part(beginTop - bottom, 1.5),
      part(level, 3),
      +(nextLeft >= left + 0.5 && nextRight <= right - 0.5),
      Math.min(nextRight - nextLeft, 3),
      part(nextLeft - right, 2), // right of everything above, as a script is
    ];
  }
}

/** The height of the writing: the middle height of strokes that are no dots or bars. */
function writingHeight(boxes: readonly Box[]): number {
  const sizes = boxes.map(([left, top, right, bottom]) => [right - left, bottom - top]);
  const tall = sizes.filter(([width, height]) => height > 0.35 * width).map(([, height]) => height);
  const typical = tall.length ? median(tall) : 0;
  const large = tall.filter((height) => height >= 0.4 * typical);
  const unit = median(large.length ? large : sizes.map(([width, height]) => Math.max(width, height)));
  return unit > 0 ? unit : 1;
}

/** How far boxes are apart, 0 where they touch. */
export function boxDistance(box: Box, other: Box): number {
  const dx = Math.max(box[0] - other[2], other[0] - box[2], 0);
  const dy = Math.max(box[1] - other[3], other[1] - box[3], 0);
  return Math.hypot(dx, dy);
}

export function boxOf(stroke: Stroke): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of stroke) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return [left, top, right, bottom];
}

/** The box around boxes. */
export function around(boxes: readonly Box[]): Box {
  return [least(boxes.map((box) => box[0])), least(boxes.map((box) => box[1])), most(boxes.map((box) => box[2])), most(boxes.map((box) => box[3]))];
}

type Line = readonly (readonly [number, number])[];

/** `count` points along a line, evenly by the numbers of its points. */
function spread(points: Line, count: number): [number, number][] {
  const step = (points.length - 1) / (count - 1);
  return range(0, count).map((i) => {
    const at = i === count - 1 ? points.length - 1 : i * step;
    const [from, to] = [points[Math.floor(at)], points[Math.min(Math.floor(at) + 1, points.length - 1)]];
    const share = at - Math.floor(at);
    return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
  });
}

/** The least distance between points of two lines. */
function closest(line: Line, other: Line): number {
  let found = Infinity;
  for (const [x, y] of line) for (const [u, v] of other) found = Math.min(found, (x - u) ** 2 + (y - v) ** 2);
  return Math.sqrt(found);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

export const least = (values: readonly number[]): number => values.reduce((found, value) => Math.min(found, value), Infinity);
export const most = (values: readonly number[]): number => values.reduce((found, value) => Math.max(found, value), -Infinity);
export const range = (from: number, to: number): number[] => Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
