// The answer on the page: formula, LaTeX, how sure it is, other readings, and what a person decides.
//
// What a person chose or edited is final until the ink changes; the server is told, and keeps to it when more
// ink comes.

import { mathElement } from "./formula.js";
import { differing } from "./latex.js";

const element = (id) => document.getElementById(id);

export class Answer extends EventTarget {
  #decided = null; // revision of the ink for which a person decided
  #shownAt = 0; // revision of the answer on the page
  #edits = 0;
  tokens = [];
  mathml = "";
  typst = "";
  recognition = null;

  constructor({ live, link, sheet, formula, editor, notice }) {
    super();
    Object.assign(this, { live, link, sheet, formula, editor, notice });
    live.addEventListener("answer", ({ detail }) => this.#answered(detail));
    live.addEventListener("empty", () => this.clear());
    live.addEventListener("rendered", ({ detail }) => this.#rendered(detail));
    editor.addEventListener("edit", () => this.#edited());
    formula.box.addEventListener("walked", ({ detail }) => this.#tellToken(detail));
  }

  get latex() {
    return this.editor.text;
  }

  get empty() {
    return !this.mathml;
  }

  /** Nothing is written any more. */
  clear() {
    this.#decided = null;
    this.tokens = [];
    this.mathml = this.typst = "";
    this.recognition = null;
    this.link.align([]);
    this.formula.clear();
    this.editor.show([]);
    this.sheet.unread = this.sheet.reread = new Set();
    this.sheet.paint();
    element("blank").hidden = false;
    for (const id of ["sure", "remark", "others"]) element(id).hidden = true;
    this.dispatchEvent(new Event("shown"));
  }

  #answered({ revision, recognition, strokes, alternatives }) {
    if (revision < this.#shownAt || this.#decided === revision) return;
    this.#shownAt = revision;
    this.#decided = null;
    this.recognition = recognition;
    this.strokeIds = strokes;
    this.#show({
      tokens: recognition.tokens.map(({ text }) => text),
      confidences: recognition.tokens.map(({ confidence }) => confidence),
      mathml: recognition.mathml,
      typst: recognition.typst,
    });
    this.link.align(recognition.tokens.map((token) => token.strokes.map((place) => strokes[place])));
    this.#showSure(recognition);
    this.#showCandidates(alternatives);
    this.#mark(recognition, strokes);
    this.notice.announce(`Read: ${this.latex}, ${percent(recognition.score)} sure`);
    this.dispatchEvent(new Event("shown"));
  }

  #show({ tokens, confidences, mathml, typst }) {
    Object.assign(this, { tokens, mathml, typst });
    element("blank").hidden = true;
    this.formula.show(mathml, confidences);
    this.editor.show(tokens, confidences);
  }

  #showSure({ score, complete }) {
    element("sure").hidden = false;
    element("sure-bar").style.setProperty("--share", score.toFixed(3));
    element("sure").dataset.level = score > 0.8 ? "high" : score > 0.45 ? "middle" : "low";
    element("sure-text").textContent = complete ? `${percent(score)} sure` : `${percent(score)} sure, cut short`;
  }

  #showCandidates(alternatives) {
    const list = element("candidates");
    list.replaceChildren(
      ...alternatives.map((other, i) => {
        const item = document.createElement("li"), button = document.createElement("button");
        button.type = "button";
        button.className = "candidate";
        button.title = other.latex;
        button.setAttribute("aria-label", `Reading ${i + 1}: ${other.latex}, ${percent(other.score)}`);
        const math = mathElement(other.mathml);
        for (const place of differing(this.tokens, other.tokens)) {
          math.querySelector(`[data-token="${place}"]`)?.classList.add("differs");
        }
        math.setAttribute("display", "inline");
        math.setAttribute("aria-hidden", "true");
        const share = document.createElement("span");
        share.className = "share";
        share.textContent = other.score < 0.01 ? "" : percent(other.score);
        button.append(math, share);
        button.addEventListener("click", () => this.choose(other));
        item.append(button);
        return item;
      }),
    );
    element("others").hidden = !alternatives.length;
    this.alternatives = alternatives;
  }

  #mark({ unread, reread }, strokes) {
    this.sheet.unread = new Set(unread.map((place) => strokes[place]));
    this.sheet.reread = new Set(reread.map((place) => strokes[place]));
    this.sheet.paint();
    const remarks = [];
    if (unread.length) remarks.push(`${count(unread.length, "stroke")} not read (dotted)`);
    if (reread.length) remarks.push(`${count(reread.length, "stroke")} read twice (dashed)`);
    this.#remark(remarks.join(" · "));
  }

  #remark(text, kind = "") {
    const remark = element("remark");
    remark.textContent = text;
    remark.dataset.kind = kind;
    remark.hidden = !text;
  }

  /** Take another reading. */
  choose(other) {
    this.#decide(other);
    this.editor.show(other.tokens);
    this.notice.announce(`Chosen: ${other.latex}`);
    this.live.choose(other.latex);
  }

  chooseNumber(number) {
    const other = this.alternatives?.[number - 1];
    if (other && !element("others").hidden) this.choose(other);
  }

  #decide({ tokens, mathml, typst }) {
    this.#decided = this.live.revision;
    Object.assign(this, { tokens, mathml, typst });
    this.link.align([]);
    element("blank").hidden = true;
    this.formula.show(mathml);
    element("sure").hidden = false;
    element("sure").dataset.level = "own";
    element("sure-text").textContent = "Your choice";
    this.dispatchEvent(new Event("shown"));
  }

  /** Follow what a person types: the formula as soon as it is LaTeX, a remark as long as it is not. */
  async #edited() {
    const edit = ++this.#edits;
    const latex = this.latex;
    this.#decided = this.live.revision;
    await new Promise((resolve) => setTimeout(resolve, 180));
    if (edit !== this.#edits) return;
    if (!latex.trim()) {
      this.formula.clear();
      this.mathml = "";
      return;
    }
    if (!this.live.render(latex)) {
      this.#remark("No connection: the formula is not drawn, but you can copy the LaTeX.", "problem");
    }
  }

  #rendered(answer) {
    if (answer.source !== this.latex) return; // typed on since
    this.#remark(answer.error ?? "", "problem");
    if (answer.error) return;
    this.#decide(answer);
    this.editor.mark(answer.tokens);
    this.live.choose(answer.source);
  }

  /** The alignment of what was chosen, when the server has found it. */
  alignChoice({ recognition, strokes, revision }) {
    if (this.#decided !== revision) return;
    const texts = recognition.tokens.map(({ text }) => text);
    if (texts.join(" ") !== this.tokens.join(" ")) return;
    this.link.align(recognition.tokens.map((token) => token.strokes.map((place) => strokes[place])));
    this.#mark(recognition, strokes);
  }

  #tellToken(token) {
    const found = this.recognition?.tokens[token];
    if (!found) return;
    const strokes = found.strokes.map((place) => place + 1).join(", ");
    this.notice.announce(`${found.text}, ${percent(found.confidence)} sure, stroke ${strokes}`);
  }
}

export const percent = (share) => `${Math.round(share * 100)} %`;
export const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
