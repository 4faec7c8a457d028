/**
 * Which strokes each token was read from: attention per stroke, and what is known about how people write (`habits` of the
 * tables). A port of `inktex/explain/` (attention, habits, runs, assignment, alignment).
 */
import type { Features } from "./features";
import tables from "./tables.json";

const { most_strokes: MOST_STROKES, distances, overlaps, strokes: strokeCounts, usual, joins } = tables.habits;
const STEP = 0.1; // distance of points on a stroke, for measuring how near two strokes come to each other

// Logarithms of probabilities, chosen on the validation set.
const { no_ink, unread, unread_more, unread_seen, apart, least_mass } = tables.habits.scores;

/** (T+1, S): how much of each token's attention lies on each stroke; rows sum to 1. */
export function strokeAttention(attention: Float32Array[], features: Features, stride: number, strokeCount: number): number[][] {
  const annotations = Math.ceil(features.count / stride);
  const shared = Array.from({ length: annotations }, () => new Float64Array(strokeCount));
  features.stroke.forEach((stroke, row) => shared[Math.floor(row / stride)][stroke]++);
  for (const shares of shared) {
    const rows = shares.reduce((a, b) => a + b);
    shares.forEach((count, stroke) => (shares[stroke] = count / rows));
  }
  return attention.map((looks) => {
    const total = looks.reduce((a, b) => a + b, 0);
    const made = new Array<number>(strokeCount).fill(0);
    for (let i = 0; i < annotations; i++) {
      const weight = total > 0 ? looks[i] / total : 1 / annotations;
      for (let stroke = 0; stroke < strokeCount; stroke++) made[stroke] += weight * shared[i][stroke];
    }
    return made;
  });
}

export interface Alignment {
  strokesOf: number[][]; // per token, [] for { } ^ _
  unread: number[]; // strokes that nobody read
  reread: number[]; // strokes that more than one symbol was read from
}

/** Align tokens with strokes; `places` are those of the tokens that are written with ink. */
export function align(tokens: readonly string[], places: number[], looks: number[][], features: Features): Alignment {
  const strokeCount = looks[0].length;
  const strokesOf: number[][] = tokens.map(() => []);
  if (places.length && strokeCount) {
    const weight = places.map((place) => looks[place]);
    const owner = assignStrokes(weight, places.map((place) => lengthScores(tokens[place])), joinScores(features));
    owner.forEach((symbol, stroke) => {
      if (symbol >= 0) strokesOf[places[symbol]].push(stroke);
    });
    places.forEach((place, symbol) => {
      if (!strokesOf[place].length) strokesOf[place].push(argmax(weight[symbol]));
    });
  }
  return { strokesOf, ...readers(strokesOf, strokeCount) };
}

/** Strokes that nobody read, and those that several did. */
export function readers(strokesOf: number[][], strokeCount: number): { unread: number[]; reread: number[] } {
  const count = new Array<number>(strokeCount).fill(0);
  for (const stroke of strokesOf.flat()) count[stroke]++;
  const where = (wanted: (n: number) => boolean): number[] => count.flatMap((n, stroke) => (wanted(n) ? [stroke] : []));
  return { unread: where((n) => n === 0), reread: where((n) => n > 1) };
}

// Habits ------------------------------------------------------------------------------------------------------------------

/** Log probability that a symbol has 1, 2, … strokes; rare symbols lean on all symbols. */
function lengthScores(label: string): number[] {
  const counts = (strokeCounts as Record<string, number[]>)[label] ?? [];
  const total = counts.slice(0, MOST_STROKES).reduce((a, b) => a + b, 0);
  return usual.map((share, i) => Math.log(((counts[i] ?? 0) + 2 * share) / (total + 2)));
}

/** (S-1,) log odds that a stroke and the next one belong to one symbol, against a pair of two symbols. */
function joinScores({ rows, count, stroke }: Features): number[] {
  const strokes: [number, number][][] = [];
  for (let i = 0; i < count; i++) {
    if (i === 0 || stroke[i] !== stroke[i - 1]) strokes.push([]);
    strokes[strokes.length - 1].push([rows[8 * i], rows[8 * i + 1]]);
  }
  const range = (values: number[]): number => Math.max(...values) - Math.min(...values);
  const diagonals = strokes.map((points) => Math.hypot(range(points.map(([x]) => x)), range(points.map(([, y]) => y))));
  const unit = diagonals.reduce((a, b) => a + b) / strokes.length || 1;
  const all = strokes.map((points) => dense(points.map(([x, y]) => [x / unit, y / unit])));
  return all.slice(1).map((second, i) => {
    const [distance, overlap] = near(all[i], second);
    return joins[classOf(distances, distance)][classOf(overlaps, overlap)];
  });
}

const classOf = (bounds: number[], value: number): number => bounds.filter((bound) => bound < value).length;

function near(first: [number, number][], second: [number, number][]): [number, number] {
  let least = Infinity;
  for (const [x, y] of first) for (const [u, v] of second) least = Math.min(least, (x - u) * (x - u) + (y - v) * (y - v));
  const side = (points: [number, number][]): [number, number] => {
    const xs = points.map(([x]) => x);
    return [Math.min(...xs), Math.max(...xs)];
  };
  const [[left, right], [otherLeft, otherRight]] = [side(first), side(second)];
  const shared = Math.min(right, otherRight) - Math.max(left, otherLeft);
  return [Math.sqrt(least), shared / Math.max(Math.min(right - left, otherRight - otherLeft), STEP)];
}

/** Points along a stroke, near enough to each other to see where strokes cross. */
function dense(points: [number, number][]): [number, number][] {
  const lengths = points.slice(1).map(([x, y], i) => Math.hypot(x - points[i][0], y - points[i][1]));
  const step = Math.max(STEP, lengths.reduce((a, b) => a + b, 0) / 200);
  const made: [number, number][] = [];
  lengths.forEach((length, i) => {
    const parts = Math.max(Math.ceil(length / step), 1);
    const [dx, dy] = [points[i + 1][0] - points[i][0], points[i + 1][1] - points[i][1]];
    for (let k = 0; k < parts; k++) made.push([points[i][0] + dx * (k / parts), points[i][1] + dy * (k / parts)]);
  });
  made.push(points[points.length - 1]);
  return made;
}

// Runs of strokes ---------------------------------------------------------------------------------------------------------

interface Evidence {
  weight: number[][]; // (symbols, S) attention
  lengths: number[][]; // (symbols, MOST_STROKES)
  joins: number[]; // (S-1,)
  first: number[]; // (S,) scores of leaving a stroke unread, as the first one
  following: number[]; // (S,) and after another unread one
}

/** (S,) symbol of every stroke, -1 for none. */
function assignStrokes(weight: number[][], lengths: number[][], joinScore: number[]): number[] {
  const strokes = weight[0].length;
  const seen = Array.from({ length: strokes }, (_, stroke) => {
    const looked = weight.reduce((sum, row) => sum + row[stroke], 0);
    return unread_seen * Math.min(looked, 1);
  });
  const evidence: Evidence = {
    weight,
    lengths,
    joins: joinScore,
    first: seen.map((each) => each + unread),
    following: seen.map((each, s) => each + Math.max(s ? joinScore[s - 1] + unread_more : -Infinity, unread)),
  };
  return withStrokesMoved(cut(evidence), evidence);
}

/** The best runs: symbol by symbol in the order of writing, a best score for every number of strokes used. */
function cut({ weight, lengths, joins: together, first, following }: Evidence): number[] {
  const strokes = weight[0].length;
  const anchor = anchors(weight);
  const order = weight.map((_, symbol) => symbol).sort((a, b) => anchor[a] - anchor[b]);
  const skipped = sums(following);
  const joined = sums(together);
  const opening = skipped.map((sum, s) => (s < strokes ? first[s] - following[s] : 0) - sum);
  let [best] = withUnread([0, ...new Array<number>(strokes).fill(-Infinity)], opening, skipped);
  const choices: [number[], number[]][] = []; // per symbol: length of its run, and where the run ended
  for (const symbol of order) {
    const inside = sums(weight[symbol]);
    const score = best.map((each) => each + no_ink);
    const taken = new Array<number>(strokes + 1).fill(0);
    for (let count = 1; count <= Math.min(MOST_STROKES, strokes); count++)
      for (let end = count; end <= strokes; end++) {
        const begin = end - count;
        const run =
          best[begin] + Math.log(inside[end] - inside[begin] + least_mass) + lengths[symbol][count - 1] + joined[end - 1] - joined[begin];
        if (run > score[end]) [score[end], taken[end]] = [run, count];
      }
    const [next, ends] = withUnread(score, opening, skipped);
    best = next;
    choices.push([taken, ends]);
  }
  const owner = new Array<number>(strokes).fill(-1);
  let at = strokes;
  for (let i = order.length - 1; i >= 0; i--) {
    const [taken, ends] = choices[i];
    at = ends[at];
    owner.fill(order[i], at - taken[at], at);
    at -= taken[at];
  }
  return owner;
}

/** Let strokes after a run stay unread: the best score by number of strokes, and where the run ended. */
function withUnread(score: number[], opening: number[], skipped: number[]): [number[], number[]] {
  const best: number[] = [];
  const ends: number[] = [];
  let [highest, at] = [-Infinity, 0];
  score.forEach((each, s) => {
    const left = highest + skipped[s];
    best.push(Math.max(each, left));
    ends.push(left > each ? at : s);
    const level = each + opening[s];
    if (level >= highest) [highest, at] = [level, s];
  });
  return [best, ends];
}

/** A stroke of its own for every symbol, which gives the order in which symbols were written. */
function anchors(weight: number[][]): number[] {
  if (weight.length > weight[0].length) return weight.map(argmax);
  return cheapestAssignment(weight.map((row) => row.map((each) => -Math.log(Math.max(each, 1e-3)))));
}

function symbolScore({ weight, lengths, joins: together }: Evidence, symbol: number, owner: number[]): number {
  const mine = owner.flatMap((each, stroke) => (each === symbol ? [stroke] : []));
  if (!mine.length) return no_ink;
  if (mine.length > MOST_STROKES) return -Infinity;
  const mass = mine.reduce((sum, stroke) => sum + weight[symbol][stroke], 0);
  let known = lengths[symbol][mine.length - 1];
  for (let i = 0; i + 1 < mine.length; i++) known += mine[i + 1] === mine[i] + 1 ? together[mine[i]] : apart;
  return Math.log(mass + least_mass) + known;
}

/** Move single strokes to the symbol that looked at them most, where the score rises by it. */
function withStrokesMoved(owner: number[], evidence: Evidence): number[] {
  const { weight, first } = evidence;
  const original = owner;
  original.forEach((before, stroke) => {
    const after = argmax(weight.map((row) => row[stroke]));
    const held = before >= 0 ? weight[before][stroke] : 0;
    if (after === before || weight[after][stroke] <= held + 0.1) return;
    const moved = [...owner];
    moved[stroke] = after;
    let gain = symbolScore(evidence, after, moved) - symbolScore(evidence, after, owner);
    if (before >= 0) gain += symbolScore(evidence, before, moved) - symbolScore(evidence, before, owner);
    else gain -= first[stroke];
    if (gain > 0) owner = moved;
  });
  return owner;
}

/** Different columns for the rows whose costs have the smallest sum (Hungarian method, by shortest paths). */
function cheapestAssignment(cost: number[][]): number[] {
  const [rows, columns] = [cost.length, cost[0].length];
  const rowPrice = new Array<number>(rows).fill(0);
  const columnPrice = new Array<number>(columns).fill(0);
  const rowOf = new Array<number>(columns).fill(-1);
  for (let added = 0; added < rows; added++) {
    const distance = new Array<number>(columns).fill(Infinity);
    const cameFrom = new Array<number>(columns).fill(-1);
    const done = new Array<boolean>(columns).fill(false);
    let [row, reached, column] = [added, 0, -1];
    for (;;) {
      for (let c = 0; c < columns; c++) {
        const through = reached + cost[row][c] - rowPrice[row] - columnPrice[c];
        if (!done[c] && through < distance[c]) [distance[c], cameFrom[c]] = [through, column];
      }
      column = -1;
      for (let c = 0; c < columns; c++) if (!done[c] && (column < 0 || distance[c] < distance[column])) column = c;
      reached = distance[column];
      done[column] = true;
      if (rowOf[column] < 0) break;
      row = rowOf[column];
    }
    rowPrice[added] += reached;
    for (let c = 0; c < columns; c++)
      if (done[c] && rowOf[c] >= 0) {
        rowPrice[rowOf[c]] += reached - distance[c];
        columnPrice[c] -= reached - distance[c];
      }
    while (column >= 0) {
      const before = cameFrom[column];
      rowOf[column] = before < 0 ? added : rowOf[before];
      column = before;
    }
  }
  const assigned = new Array<number>(rows);
  rowOf.forEach((row, column) => {
    if (row >= 0) assigned[row] = column;
  });
  return assigned;
}

function sums(values: number[]): number[] {
  const made = [0];
  for (const value of values) made.push(made[made.length - 1] + value);
  return made;
}

function argmax(values: readonly number[]): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
