// What is lit: a symbol, its place in the LaTeX and the strokes it was read from are one thing shown thrice.

export class Link extends EventTarget {
  #tokens = []; // per token the ids of its strokes
  token = null;
  strokes = new Set();

  /** Take the alignment of a new answer: for every token the ids of its strokes. */
  align(tokens) {
    this.#tokens = tokens;
    this.clear();
  }

  lightToken(token) {
    this.#light(token, new Set(token === null ? [] : this.#tokens[token] ?? []));
  }

  lightStroke(id) {
    const token = id === null ? -1 : this.#tokens.findIndex((strokes) => strokes.includes(id));
    this.#light(token < 0 ? null : token, new Set(token < 0 ? [] : this.#tokens[token]));
  }

  clear() {
    this.#light(null, new Set());
  }

  /** Tokens that are written with ink, in order. */
  get signs() {
    return this.#tokens.flatMap((strokes, token) => (strokes.length ? [token] : []));
  }

  #light(token, strokes) {
    if (token === this.token && strokes.size === this.strokes.size) return;
    this.token = token;
    this.strokes = strokes;
    this.dispatchEvent(new CustomEvent("change"));
  }
}
