/**
 * Finds the lines of a page: the strokes of each, in reading order. People write line after line, so a page is split in writing
 * order, before a stroke from which on everything lies below what was written before; fractions are told apart by their bars,
 * strokes added later join the nearest line, and ink in another order is split along wide blank stripes. A port of
 * `inktex/ink/lines.py`, whose weights and limits are in tables.json.
 */
import { around, type Box, boxDistance, boxOf, Geometry, least, most, range, WINDOW } from "./geometry";
import tables from "./tables.json";
import type { Stroke } from "./types";

const { late: LATE, late_run: LATE_RUN, stripe: STRIPE, stripe_at_bar: STRIPE_AT_BAR, column: COLUMN, tall: TALL } = tables.lines;
const { near: NEAR, parts: PARTS, slack: SLACK, brackets: BRACKETS } = tables.lines;
const { most_of_a_symbol: MOST_OF_A_SYMBOL, flatness: FLATNESS, dot: DOT, dot_of_many: DOT_OF_MANY, threshold: THRESHOLD } = tables.lines;

const { over: OVER, shortest: SHORTEST, straight: STRAIGHT, apart: APART, far: FAR, close: CLOSE } = tables.lines;
const { soon: SOON, speck: SPECK } = tables.lines;

/** A network with one hidden layer. */
interface Judge {
  hidden: number[][]; // (H, F)
  hidden_bias: number[];
  output: number[];
  bias: number;
}

/** Numbers of strokes. */
export type Strokes = readonly number[];

/**
 * The strokes of each line, lines from top to bottom; a bracket drawn last stands before the rows that it opens. `unit` is the height
 * of the writing, where it is known from more ink. `favoured` has log odds to add for lines that begin with some strokes, such as
 * those that did so when there was less ink.
 */
export function findLines(strokes: readonly Stroke[], unit?: number, favoured: ReadonlyMap<number, number> = new Map()): number[][] {
  if (strokes.length < 2 || (unit === undefined && isOneSymbol(strokes))) return strokes.length ? [range(0, strokes.length)] : [];
  const order = bracketsFirst(strokes, new Geometry(strokes, unit));
  const favour = new Map([...favoured].map(([stroke, odds]) => [order.indexOf(stroke), odds]));
  return linesInOrder(order.map((stroke) => strokes[stroke]), unit, favour).map((line) => line.map((place) => order[place]));
}

/** The strokes in the order in which brackets stand before the rows that they open, though they were drawn later. */
function bracketsFirst(strokes: readonly Stroke[], page: Geometry): number[] {
  let order = range(0, strokes.length);
  let [taken, leftToTry] = [0, BRACKETS];
  for (const start of range(1, strokes.length).filter((stroke) => page.middle[stroke][0] < page.boxes[stroke - 1][0])) {
    const { end, behind } = start >= taken && leftToTry ? bracketAt(page, start) : { end: start, behind: [] };
    if (behind.length < 2) continue;
    leftToTry--;
    if (linesInOrder(behind.map((stroke) => strokes[stroke]), page.unit).length < 2) continue;
    const place = order.indexOf(behind[0]);
    order = [...order.slice(0, place), ...order.slice(start, end), ...order.slice(place, start), ...order.slice(end)];
    taken = end;
  }
  return order;
}

/** The end of a bracket that begins with a stroke, and what lies behind it: nothing if it is none. */
function bracketAt(page: Geometry, start: number): { end: number; behind: number[] } {
  let end = start, behind: number[] = [];
  for (const last of range(start, Math.min(start + PARTS, page.length))) {
    const more = strokesBehind(page, start, last + 1);
    const [, top, , bottom] = boxAround(page, range(start, Math.max(end, start + 1)));
    const isPart = end === last && top - SLACK < page.middle[last][1] && page.middle[last][1] < bottom + SLACK;
    if (more.length > behind.length || (more.length && isPart)) [end, behind] = [last + 1, more];
  }
  return { end, behind };
}

/** Strokes written before these that lie behind them, if these are a bracket around several rows. */
function strokesBehind(page: Geometry, start: number, end: number): number[] {
  const [left, top, right, bottom] = boxAround(page, range(start, end));
  if (bottom - top < TALL || right - left > 0.5 * (bottom - top)) return [];
  const beside = range(0, start).filter((stroke) => page.middle[stroke][1] > top && page.middle[stroke][1] < bottom && page.boxes[stroke][2] > left);
  const isBehind = beside.every((stroke) => page.boxes[stroke][0] > (left + right) / 2);
  return isBehind && least(beside.map((stroke) => page.boxes[stroke][0])) <= right + NEAR ? beside : [];
}

/** The lines of ink that was written from the left to the right and from the top to the bottom. */
function linesInOrder(strokes: readonly Stroke[], unit?: number, favoured: ReadonlyMap<number, number> = new Map()): number[][] {
  const page = new Geometry(strokes, unit);
  const late = lateStrokes(page);
  const kept = range(0, strokes.length).filter((stroke) => !late.has(stroke));
  const ordered = late.size ? new Geometry(kept.map((stroke) => strokes[stroke]), page.unit) : page;
  const favour = new Map([...favoured].map(([stroke, odds]) => [kept.indexOf(stroke), odds]));
  const starts = [0, ...findCuts(ordered, favour)];
  let lines = starts.map((start, i) => kept.slice(start, starts[i + 1]));
  lines = withLate(page, lines, late);
  const parts = withSpecks(page, lines.flatMap((line) => stripes(page, line)));
  return inReadingOrder(page, inBrackets(page, parts));
}

/** Whether the ink is one symbol of bars and dots, such as = or !, whose strokes lie above each other. */
function isOneSymbol(strokes: readonly Stroke[]): boolean {
  if (strokes.length > MOST_OF_A_SYMBOL) return false;
  const boxes = strokes.map(boxOf);
  const diagonal = ([left, top, right, bottom]: Box): number => Math.hypot(right - left, bottom - top);
  let dot = DOT * diagonal(around(boxes));
  // Such as := and not a fraction with the first digit below it.
  if (boxes.length === MOST_OF_A_SYMBOL) dot = Math.min(dot, DOT_OF_MANY * most(boxes.map(diagonal)));
  const large = boxes.filter((box) => box[3] - box[1] > FLATNESS * (box[2] - box[0]) && diagonal(box) > dot);
  return large.length <= 1;
}

/** Log odds. */
function judge({ hidden, hidden_bias, output, bias }: Judge, evidence: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, i) => sum + value * b[i], 0);
  return dot(hidden.map((weights, i) => Math.tanh(dot(weights, evidence) + hidden_bias[i])), output) + bias;
}

/** Strokes that begin a line, by the order of writing: the likeliest first, the others around them. */
function findCuts(page: Geometry, favoured: ReadonlyMap<number, number>): number[] {
  const bars = range(0, page.length).filter((stroke) => page.flat[stroke]).map((stroke) => page.bar(stroke));
  const spans = bars
    .filter(({ passed }) => !passed)
    .map(({ first, last, evidence }) => ({ first, last, sure: 1 / (1 + Math.exp(-judge(tables.lines.bar, evidence))) }));
  const odds = (low: number, place: number, high: number): number => {
    const inFraction = spans.reduce((found, { first, last, sure }) => (first < place && place <= last ? Math.max(found, sure) : found), 0);
    return judge(tables.lines.cut, page.cut(low, place, high, inFraction)) + (favoured.get(place) ?? 0);
  };
  const places = page.places().filter((place) => !heldByBar(page, place));
  const waiting = new Map(places.map((place) => [place, { low: 0, high: page.length, odds: odds(0, place, page.length) }]));
  const cuts: number[] = [];
  while (waiting.size) {
    const [best, { low, high, odds: sure }] = [...waiting].reduce((found, each) => (each[1].odds > found[1].odds ? each : found));
    waiting.delete(best);
    if (sure < THRESHOLD) break;
    cuts.push(best);
    for (const [place, known] of waiting) {
      if (known.low !== low || known.high !== high) continue;
      if (place < best) known.high = best;
      else known.low = best;
      if (Math.abs(place - best) <= WINDOW) known.odds = odds(known.low, place, known.high);
    }
  }
  return cuts.sort((a, b) => a - b);
}

/**
 * Whether no line begins with this stroke, since a bar lies between it and what was written last. The stroke may be the bar itself,
 * or the bar may have been drawn soon after it.
 */
function heldByBar(page: Geometry, place: number): boolean {
  const { boxes, middle, flat } = page, before = place - 1;
  if (flat[before] && isBelow(page, place, before) && !isOfLetter(page, before)) {
    const [left, top, right, bottom] = boxes[before];
    const inside = range(Math.max(0, before - WINDOW), before).filter((each) => middle[each][0] > left && middle[each][0] < right);
    // A bar that has something below it already is done with.
    if (inside.some((each) => middle[each][1] > bottom && boxes[each][1] < boxes[place][3])) return false;
    const above = inside.some((each) => middle[each][1] < top && boxes[each][3] > top - FAR);
    return above || boxes[place][1] - bottom < CLOSE;
  }
  if (flat[place]) return place + 1 < page.length && isBetween(page, place, place - 1, place + 1);
  return range(place + 1, Math.min(place + 1 + SOON, page.length)).some((bar) => flat[bar] && isBetween(page, bar, place - 1, place));
}

/** Whether a bar is the last stroke of a letter, such as I or a z or 7 with a bar across. */
function isOfLetter({ boxes, middle }: Geometry, bar: number): boolean {
  const [left, top, right] = boxes[bar];
  return range(Math.max(0, bar - WINDOW), bar).some(
    (each) => middle[each][0] > left && middle[each][0] < right && boxes[each][1] < top && boxes[each][3] > top - APART,
  );
}

/** Whether a bar lies between two strokes, as in a fraction; that of Σ touches what is below it. */
function isBetween(page: Geometry, bar: number, above: number, below: number): boolean {
  const [left, top, right, level] = page.boxes[bar];
  const [start, , end, bottom] = page.boxes[above];
  const covered = left - OVER < start && end < right + OVER && top - FAR < bottom && bottom < level + APART;
  return covered && page.boxes[below][1] > level + APART && isBelow(page, below, bar);
}

/** Whether a stroke is right below a bar and not much wider. */
function isBelow(page: Geometry, stroke: number, bar: number): boolean {
  const [left, top, right, bottom] = page.boxes[bar];
  const [start, ceiling, end] = page.boxes[stroke];
  if (!(left - OVER < start && end < right + OVER && top < ceiling && ceiling < bottom + FAR)) return false;
  const points = page.points[bar];
  const [x, y] = points[0], [dx, dy] = [points[points.length - 1][0] - x, points[points.length - 1][1] - y];
  const away = points.map(([px, py]) => Math.abs((px - x) * dy - (py - y) * dx) / (Math.hypot(dx, dy) + 1e-9));
  return right - left > SHORTEST && most(away) < STRAIGHT;
}

/** Strokes that fill something in on what was written long before: a dot, an accent, a bar. */
function lateStrokes(page: Geometry): Set<number> {
  const away = range(0, page.length).filter((stroke) => page.jump[stroke] > LATE);
  const late = new Set<number>();
  away.forEach((start, i) => {
    const end = away[i + 1] ?? page.length;
    const recent = page.boxes.slice(Math.max(0, start - 8), start), older = page.boxes.slice(0, Math.max(0, start - 8));
    if (end - start > LATE_RUN || !older.length) return;
    const raised = least(recent.map((box) => box[1] - page.boxes[start][3])); // over all that was just written
    const apart = older.map((box) => boxDistance(page.boxes[start], box));
    const nearest = least(apart);
    // The numerator of a fraction that comes next lies below the line above, not in it.
    const goesOn = page.boxes[start][0] > most(recent.map((box) => box[2])) && page.boxes[start][1] > older[apart.indexOf(nearest)][3];
    if (raised > 0.4 && !goesOn && nearest < Math.min(0.6, 0.5 * page.jump[start])) for (const stroke of range(start, end)) late.add(stroke);
  });
  return late;
}

/** Give late strokes to the lines that they are nearest to. */
function withLate(page: Geometry, lines: number[][], late: ReadonlySet<number>): number[][] {
  if (!late.size) return lines;
  const lineOf = new Map(lines.flatMap((line, number) => line.map((stroke) => [stroke, number])));
  const known = [...lineOf.keys()].sort((a, b) => a - b);
  for (const stroke of late) {
    const apart = known.filter((earlier) => earlier < stroke).map((earlier) => ({ earlier, distance: boxDistance(page.boxes[stroke], page.boxes[earlier]) }));
    const nearest = apart.reduce((found, each) => (each.distance < found.distance ? each : found));
    lineOf.set(stroke, lineOf.get(nearest.earlier)!);
  }
  return lines.map((_, number) => range(0, page.length).filter((stroke) => lineOf.get(stroke) === number));
}

/** Give lines of dots alone, such as the pen leaves by accident, to the lines that they are nearest to; the newest may begin a line. */
function withSpecks(page: Geometry, lines: number[][]): number[][] {
  const newest = page.length - 1;
  const isLarge = (line: Strokes): boolean => line.some((stroke) => stroke === newest || Math.max(page.width[stroke], page.height[stroke]) > SPECK);
  const kept = lines.filter(isLarge), specks = lines.filter((line) => !isLarge(line));
  if (!kept.length) return lines;
  for (const stroke of specks.flat()) {
    const apart = kept.map((line) => least(line.map((other) => boxDistance(page.boxes[stroke], page.boxes[other]))));
    kept[apart.indexOf(least(apart))].push(stroke);
  }
  return kept.map((line) => line.sort((a, b) => a - b));
}

/** Cut where a blank stripe is wider than any inside an expression, whatever the order of writing. */
function stripes(page: Geometry, line: number[]): number[][] {
  const cut = stripe(page, line, 1) ?? stripe(page, line, 0);
  return cut ? cut.flatMap((part) => stripes(page, part)) : [line];
}

/** Both sides of the widest stripe across `axis` (1: between lines), if it is wide enough. */
function stripe(page: Geometry, part: Strokes, axis: 0 | 1): number[][] | null {
  if (part.length < 2) return null;
  const { boxes, flat } = page;
  const order = [...part].sort((a, b) => boxes[a][axis] - boxes[b][axis]);
  const ends: number[] = [];
  for (const stroke of order) ends.push(Math.max(ends[ends.length - 1] ?? -Infinity, boxes[stroke][axis + 2]));
  const gaps = order.slice(1).map((stroke, i) => boxes[stroke][axis] - ends[i]);
  const widest = gaps.indexOf(most(gaps));
  const begin = boxes[order[widest + 1]][axis];
  const touches = (stroke: number): boolean => Math.abs(boxes[stroke][3] - ends[widest]) < 0.3 || Math.abs(boxes[stroke][1] - begin) < 0.3;
  const needed = axis ? (order.some((stroke) => flat[stroke] && touches(stroke)) ? STRIPE_AT_BAR : STRIPE) : COLUMN;
  if (!(gaps[widest] > needed)) return null;
  return [order.slice(0, widest + 1), order.slice(widest + 1)].map((side) => side.sort((a, b) => a - b));
}

/** Join the rows of a matrix or of cases: lines beside a bracket that is as high as all of them. */
function inBrackets(page: Geometry, lines: number[][]): number[][] {
  const boxes = lines.map((line) => boxAround(page, line));
  let joined = range(0, lines.length); // of every line, the first one that it belongs to
  lines.forEach((line, number) => {
    for (const stroke of line) {
      // It may be a bracket around several rows: upright, slender, and higher than letters.
      if (lines.length < 2 || !(page.height[stroke] > TALL && page.width[stroke] < 0.5 * page.height[stroke])) continue;
      const [left, top, right, bottom] = page.boxes[stroke];
      const firsts = boxes.flatMap((box, each) => {
        const middle = (box[1] + box[3]) / 2, shared = Math.min(box[3], bottom) - Math.max(box[1], top);
        const held = middle > top && middle < bottom && shared > 0.6 * (box[3] - box[1]) && box[0] < right + NEAR && box[2] > left - NEAR;
        return held || each === number ? [joined[each]] : [];
      });
      joined = joined.map((first) => (firsts.includes(first) ? least(firsts) : first));
    }
  });
  return [...new Set(joined)].sort((a, b) => a - b).map((first) => lines.filter((_, each) => joined[each] === first).flat().sort((a, b) => a - b));
}

function boxAround(page: Geometry, strokes: Strokes): Box {
  return around(strokes.map((stroke) => page.boxes[stroke]));
}

/** From top to bottom; lines beside each other, as those of two columns, from left to right. */
function inReadingOrder(page: Geometry, lines: number[][]): number[][] {
  let waiting = lines.map((line) => ({ line, box: boxAround(page, line) })).sort((a, b) => a.box[1] + a.box[3] - (b.box[1] + b.box[3]));
  const found: number[][] = [];
  while (waiting.length) {
    const [first] = waiting;
    const level = waiting.filter((each) => each === first || areBeside(first.box, each.box));
    found.push(...[...level].sort((a, b) => a.box[0] - b.box[0]).map(({ line }) => line));
    waiting = waiting.filter((each) => !level.includes(each));
  }
  return found;
}

/** Whether two boxes share most of the height of one, and nothing of their widths. */
function areBeside(box: Box, other: Box): boolean {
  const shared = Math.min(box[3], other[3]) - Math.max(box[1], other[1]);
  const apart = other[0] > box[2] || other[2] < box[0];
  return apart && shared > 0.5 * Math.min(box[3] - box[1], other[3] - other[1]);
}
