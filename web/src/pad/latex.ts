/** LaTeX as tokens: which parts are whole in themselves, where two readings differ, where tokens stand in a text. */

/** Where each token stands in a text, [start, end); null if the text is written in another way. */
export function spansOf(text: string, tokens: readonly string[]): [number, number][] | null {
  let place = 0;
  const spans: [number, number][] = [];
  for (const token of tokens) {
    const brace = token === "{" || token === "}";
    const start = place + /^\s*/.exec(text.slice(place))![0].length;
    if (text.startsWith(token, start)) {
      place = start + token.length;
      spans.push([start, place]);
    } else if (brace) spans.push([place, place]); // a printer leaves braces out where they are not needed
    else return null;
  }
  return spans;
}

/** The token that a place in the text belongs to. */
export function tokenAt(spans: readonly (readonly [number, number])[], place: number): number | null {
  const token = spans.findIndex(([start, end]) => place >= start && place < end);
  if (token >= 0) return token;
  const ending = spans.findIndex(([, end]) => place === end);
  return ending >= 0 ? ending : null;
}

/** Places of the tokens in `other` that are not in `tokens`, in their order (the longest common part left out). */
export function differing(tokens: readonly string[], other: readonly string[]): number[] {
  const width = other.length + 1;
  const common = new Uint16Array((tokens.length + 1) * width);
  for (let i = tokens.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      common[i * width + j] = tokens[i] === other[j]
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const places: number[] = [];
  for (let i = 0, j = 0; j < other.length;) {
    if (i < tokens.length && tokens[i] === other[j]) { i += 1; j += 1; }
    else if (i < tokens.length && common[(i + 1) * width + j] >= common[i * width + j + 1]) i += 1;
    else places.push(j++);
  }
  return places;
}

const WORD = /\\(?:begin|end)\s*\{[^}]*\}|\\[A-Za-z]+|\\.|\S/gsu;
const IN_CELLS = /^\\(?:matrix|pmatrix|cases|eqalign)$/; // commands of plain TeX whose argument has cells
const RESERVED = new Set(["#", "%", "$"]);

/**
 * The parts of a LaTeX text that TeX stops at, though it is clear what is meant: two scripts of one kind on a symbol, a brace too
 * many, `&` outside of an environment, `\left` without `\right`, and characters that TeX keeps for itself.
 */
export function refusedByTex(text: string): string[] {
  const words = [...text.matchAll(WORD)].map((match) => ({ word: match[0], start: match.index, end: match.index + match[0].length }));
  const refused: string[] = [];
  let place = 0, cells = 0;
  const delimiters: string[] = [];

  /** A row up to and past its closing brace. */
  const row = (closed: boolean): void => {
    let up: number | null = null, down: number | null = null, primed = false; // where the scripts of the last symbol begin
    while (place < words.length) {
      const { word, start } = words[place];
      if (word === "^" || word === "_" || word === "'") {
        const before = words[place - 1]?.word;
        const first: number | null = word === "_" ? down : up;
        const merges = primed && before === "'" && word !== "_"; // primes may go on, and one ^ after them belongs to them
        place += 1;
        if (word !== "'") argument();
        if (first !== null && !merges) refused.push(text.slice(first, words[place - 1].end).trim());
        if (word === "_") down = start;
        else up = start;
        primed = word === "'";
        continue;
      }
      place += 1;
      if (word === "}") {
        if (closed) return;
        refused.push(word);
      } else if (word === "{") row(true);
      else if (word.startsWith("\\begin")) cells += 1;
      else if (word.startsWith("\\end")) cells -= 1;
      else if (IN_CELLS.test(word)) cells += 1;
      else if (word === "&" && cells < 1) refused.push(word);
      else if (RESERVED.has(word)) refused.push(word);
      else if (word === "\\left") delimiters.push(word);
      else if (word === "\\right" && !delimiters.pop()) refused.push(word);
      if (word === "\\limits" || word === "\\nolimits") continue;
      up = down = null;
      primed = false;
    }
  };
  const argument = (): void => {
    if (words[place]?.word === "{") {
      place += 1;
      row(true);
    } else if (words[place] && words[place].word !== "}") place += 1;
  };
  row(false);
  return [...refused, ...delimiters];
}

const ARGUMENTS: Record<string, number> = { "\\frac": 2, "\\binom": 2, "\\sqrt": 1, "^": 1, "_": 1 };

/** Whether tokens can stand by themselves: no torn group, no script without its base. */
export function isWhole(tokens: readonly string[]): boolean {
  let place = 0;
  const group = (): boolean => {
    if (tokens[place] !== "{") return false;
    place += 1;
    while (place < tokens.length && tokens[place] !== "}") if (!item()) return false;
    return tokens[place++] === "}";
  };
  const item = (): boolean => {
    const token = tokens[place];
    if (token === "{") return group();
    if (token === "}") return false;
    place += 1;
    if (token === "\\sqrt" && tokens[place] === "[") while (place < tokens.length && tokens[place++] !== "]");
    for (let i = 0; i < (ARGUMENTS[token] ?? 0); i++) if (!group()) return false;
    return true;
  };
  if (!tokens.length || ["{", "}", "^", "_"].includes(tokens[0])) return false;
  while (place < tokens.length) if (!item()) return false;
  return true;
}

/** The strokes and the new tokens of the smallest part in which `chosen` differs from a reading; whole on both sides. */
export function changedPart(
  old: readonly string[], strokesOf: readonly (readonly string[])[], chosen: readonly string[],
): { ids: string[]; tokens: string[] } {
  const shortest = Math.min(old.length, chosen.length);
  let prefix = 0;
  while (prefix < shortest && old[prefix] === chosen[prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < shortest - prefix && old[old.length - 1 - suffix] === chosen[chosen.length - 1 - suffix]) suffix += 1;
  const idsIn = (begin: number, end: number): string[] => [...new Set(strokesOf.slice(begin, end).flat())];
  for (let wider = 0; wider <= prefix + suffix; wider++) {
    for (let left = 0; left <= Math.min(wider, prefix); left++) {
      const begin = prefix - left, end = suffix - (wider - left);
      if (end < 0) continue;
      const ids = idsIn(begin, old.length - end);
      const after = chosen.slice(begin, chosen.length - end);
      if (ids.length && isWhole(old.slice(begin, old.length - end)) && isWhole(after)) return { ids, tokens: [...after] };
    }
  }
  return { ids: idsIn(0, old.length), tokens: [...chosen] };
}
