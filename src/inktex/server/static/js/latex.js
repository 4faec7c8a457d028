// LaTeX as people write it: tokens in, one line with few spaces out, and where in it each token stands.

const SPACED = new Set(
  `+ - = < > \\pm \\mp \\times \\div \\cdot \\leq \\geq \\le \\ge \\neq \\ne \\lt \\gt \\approx \\equiv \\sim \\in \\notin
  \\to \\rightarrow \\leftarrow \\Rightarrow \\subset \\supset \\subseteq \\cup \\cap \\wedge \\vee`.split(/\s+/),
);
const OPENS = new Set(["{", "(", "[", "^", "_", "\\{", ",", "\\lbrace"]);
const WORD = /^\\[A-Za-z]+$/;
const BEGINS = /^(?:\\[A-Za-z]|[A-Za-z0-9])/;

/** The line, and for every token its [start, end). */
export function pretty(tokens) {
  let text = "";
  const spans = tokens.map((token, i) => {
    const before = tokens[i - 1];
    const spaced = SPACED.has(token) && before !== undefined && !OPENS.has(before) && !SPACED.has(before);
    const after = SPACED.has(before) && text.endsWith(" ") === false && wasSpaced(tokens, i - 1);
    const apart = WORD.test(before ?? "") && /^[A-Za-z]/.test(token); // \pi r, but \pi^{2}
    const next = before === "}" && BEGINS.test(token); // \frac{1}{2} x: also a place to break the line at
    if (spaced || after || apart || next) text += " ";
    const start = text.length;
    text += token;
    return [start, text.length];
  });
  return { text, spans };
}

/** Whether a sign stands between two things, and not as the sign of a number. */
function wasSpaced(tokens, i) {
  const before = tokens[i - 1];
  return before !== undefined && !OPENS.has(before) && !SPACED.has(before);
}

/** The token that a place in the line belongs to. */
export function tokenAt(spans, place) {
  const token = spans.findIndex(([start, end]) => place >= start && place < end);
  if (token >= 0) return token;
  const ending = spans.findIndex(([, end]) => place === end);
  return ending >= 0 ? ending : null;
}

/** Places of the tokens in `other` that are not in `tokens`, in their order (the longest common part left out). */
export function differing(tokens, other) {
  const width = other.length + 1;
  const common = new Uint16Array((tokens.length + 1) * width);
  for (let i = tokens.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      common[i * width + j] = tokens[i] === other[j]
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const places = [];
  for (let i = 0, j = 0; j < other.length;) {
    if (i < tokens.length && tokens[i] === other[j]) { i += 1; j += 1; }
    else if (i < tokens.length && common[(i + 1) * width + j] >= common[i * width + j + 1]) i += 1;
    else places.push(j++);
  }
  return places;
}
