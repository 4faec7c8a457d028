/** What is lit: a symbol, its place in the LaTeX and the strokes it was read from are one thing shown three times. */

export class Link extends EventTarget {
  #tokens: readonly (readonly string[])[] = []; // per token the ids of its strokes
  token: number | null = null;
  strokes: ReadonlySet<string> = new Set();

  /** Take the alignment of a new answer: for every token the ids of its strokes. */
  align(tokens: readonly (readonly string[])[]): void {
    this.#tokens = tokens;
    this.clear();
  }

  strokesOf(token: number): readonly string[] {
    return this.#tokens[token] ?? [];
  }

  lightToken(token: number | null): void {
    this.#light(token, new Set(token === null ? [] : this.strokesOf(token)));
  }

  lightStroke(id: string | null): void {
    const token = id === null ? -1 : this.#tokens.findIndex((strokes) => strokes.includes(id));
    this.lightToken(token < 0 ? null : token);
  }

  clear(): void {
    this.#light(null, new Set());
  }

  /** Tokens that are written with ink, in order. */
  get symbols(): number[] {
    return this.#tokens.flatMap((strokes, token) => (strokes.length ? [token] : []));
  }

  #light(token: number | null, strokes: ReadonlySet<string>): void {
    if (token === this.token && strokes.size === this.strokes.size) return;
    this.token = token;
    this.strokes = strokes;
    this.dispatchEvent(new Event("change"));
  }
}
