"use strict";
/* The gallery of the error report: filters, order, cards, and attention on demand. REPORT comes from
   gallery.js; a view of attention is a script of its own that calls inktexView when it is wanted. */

(function () {
  const PAGE = 24;
  const two = REPORT.systems.length === 2;
  const filters = document.querySelector(".filters");
  const cards = document.querySelector(".cards");
  const found = document.querySelector(".found");
  const more = document.querySelector(".more");
  const dialog = document.getElementById("why");
  const state = { text: "", system: "", kind: "", relation: "", folder: "", length: "", wrong: "", sort: "-edits", true: "", answer: "" };
  const LENGTHS = [["1-5", 1, 5], ["6-10", 6, 10], ["11-15", 11, 15], ["16-20", 16, 20], ["21-30", 21, 30], ["31 and more", 31, 1e9]];
  const NOTHING = "∅";
  let shown = [], visible = 0;

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }
  const unique = (values) => [...new Set(values)].sort();
  const wrongAnswers = (item) => item.answers.filter((answer, number) => !answer.right && (state.system === "" || +state.system === number));
  const worst = (item) => Math.max(0, ...wrongAnswers(item).map((answer) => answer.edits));
  const surest = (item) => Math.max(0, ...wrongAnswers(item).map((answer) => answer.sure));

  function choice(name, label, options, empty) {
    const select = make("select", { name, onchange: () => { state[name] = select.value; update(); } });
    if (empty !== null) select.append(make("option", { value: "" }, empty));
    for (const [value, text] of options) select.append(make("option", { value }, text));
    return make("label", {}, label, select);
  }
  function buildFilters() {
    const kinds = unique(REPORT.items.flatMap((item) => item.answers.filter((a) => !a.right).map((a) => a.kind)));
    const text = make("input", { type: "search", name: "text", placeholder: "stem or tokens", oninput: () => { state.text = text.value; update(); } });
    filters.append(make("label", {}, "search", text));
    if (two) {
      filters.append(choice("wrong", "wrong in", [["first", `${REPORT.systems[0]} only`], ["second", `${REPORT.systems[1]} only`], ["both", "both"]], "either"));
      filters.append(choice("system", "answers of", REPORT.systems.map((name, i) => [String(i), name]), "both"));
    }
    filters.append(
      choice("kind", "kind of mistake", kinds.map((kind) => [kind, kind]), "all"),
      choice("relation", "with relation", unique(REPORT.items.flatMap((item) => item.relations)).map((r) => [r, r]), "any"),
      choice("length", "tokens", LENGTHS.map(([name]) => [name, name]), "any"));
    const folders = unique(REPORT.items.map((item) => item.folder));
    if (folders.length > 1) filters.append(choice("folder", "collection", folders.map((f) => [f, f || "(none)"]), "all"));
    filters.append(
      choice("sort", "order", [["-edits", "fewest edits first"], ["edits", "most edits first"], ["length", "shortest first"],
        ["-length", "longest first"], ["sure", "surest mistakes first"], ["-sure", "least sure first"], ["stem", "by name"]], null),
      make("button", { type: "button", onclick: () => { set({}); } }, "Reset"));
  }
  function set(values) {
    for (const name of Object.keys(state)) state[name] = values[name] ?? (name === "sort" ? "-edits" : "");
    for (const field of filters.querySelectorAll("[name]")) field.value = state[field.name];
    update();
  }

  function matches(item) {
    const answers = wrongAnswers(item);
    if (!answers.length) return false;
    if (state.wrong === "both" && item.answers.some((answer) => answer.right)) return false;
    if (state.wrong === "first" && !(!item.answers[0].right && item.answers[1].right)) return false;
    if (state.wrong === "second" && !(item.answers[0].right && !item.answers[1].right)) return false;
    if (state.kind && !answers.some((answer) => answer.kind === state.kind)) return false;
    if (state.relation && !item.relations.includes(state.relation)) return false;
    if (state.folder && item.folder !== state.folder) return false;
    if (state.length) {
      const [, low, high] = LENGTHS.find(([name]) => name === state.length);
      if (item.truth.length < low || item.truth.length > high) return false;
    }
    if (state.true || state.answer) {
      const wanted = [state.true, state.answer].map((label) => (label === NOTHING ? "" : label));
      if (!answers.some((answer) => answer.pairs.some(([a, b]) => a === wanted[0] && b === wanted[1]))) return false;
    }
    if (state.text) {
      const text = state.text.trim().toLowerCase();
      const all = [item.stem, item.truth.join(" "), ...answers.map((answer) => answer.tokens.join(" "))].join("\n").toLowerCase();
      if (!all.includes(text)) return false;
    }
    return true;
  }
  const ORDER = {
    edits: (a, b) => worst(b) - worst(a), "-edits": (a, b) => worst(a) - worst(b),
    length: (a, b) => a.truth.length - b.truth.length, "-length": (a, b) => b.truth.length - a.truth.length,
    sure: (a, b) => surest(b) - surest(a), "-sure": (a, b) => surest(a) - surest(b),
    stem: () => 0,
  };
  function update() {
    shown = REPORT.items.filter(matches).sort((a, b) => ORDER[state.sort](a, b) || (a.stem < b.stem ? -1 : 1));
    found.replaceChildren(`${shown.length} of ${REPORT.items.length} expressions`);
    if (state.true || state.answer) {
      found.append(` with ${state.true} read as ${state.answer} `,
        make("button", { type: "button", onclick: () => { state.true = state.answer = ""; update(); } }, "any symbol"));
    }
    cards.replaceChildren();
    visible = 0;
    showMore();
    const kept = Object.entries(state).filter(([name, value]) => value && !(name === "sort" && value === "-edits"));
    history.replaceState(null, "", kept.length ? `#${new URLSearchParams(kept)}` : location.pathname + location.search);
  }
  function showMore() {
    cards.append(...shown.slice(visible, visible + PAGE).map(card));
    visible = Math.min(visible + PAGE, shown.length);
    more.hidden = visible >= shown.length;
  }

  function picture(item) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", `0 0 ${item.width} ${item.height}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", `ink of ${item.stem}`);
    for (const flat of item.strokes) {
      let d = "";
      for (let i = 0; i < flat.length; i += 2) d += `${i ? "L" : "M"}${flat[i] / 10} ${flat[i + 1] / 10}`;
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", flat.length === 2 ? `${d}h0.01` : d);
      svg.append(path);
    }
    return svg;
  }
  function tokenLine(tokens, marked, name) {
    const line = make("div", { class: "tokens" });
    tokens.forEach((token, place) => {
      line.append(marked.includes(place) ? make("mark", { class: name }, token) : token, " ");
    });
    return line;
  }
  // MathML is written by the program, escaped; all else is set as text.
  function formula(markup) {
    const holder = make("div", { class: "formula" });
    holder.innerHTML = markup;
    return holder;
  }
  const percent = (share) => (share >= 0.995 ? "100 %" : share >= 0.01 ? `${Math.round(100 * share)} %` : share > 0 ? "< 1 %" : "0 %");

  function card(item) {
    const wrong = item.answers.filter((answer) => !answer.right);
    const box = make("article", { class: "card", "data-id": item.id },
      make("div", { class: "top" }, make("span", {}, item.stem), make("span", {}, item.folder)), picture(item),
      make("div", { class: "line" }, make("span", { class: "soft" }, "truth"),
        make("div", {}, tokenLine(item.truth, wrong.flatMap((answer) => answer.inTruth), "true"), formula(item.mathml))));
    item.answers.forEach((answer, number) => {
      const name = two ? REPORT.systems[number] : "answer";
      if (answer.right) {
        box.append(make("div", { class: "line" }, make("span", { class: "soft" }, name), make("span", { class: "ok" }, `right (${percent(answer.sure)} sure)`)));
        return;
      }
      const sure = `${percent(answer.sure)} sure` + (answer.truthSure === null ? "" : `; gave the truth ${percent(answer.truthSure)}`);
      box.append(
        make("div", { class: "line" }, make("span", { class: "soft" }, name),
          make("div", {}, tokenLine(answer.tokens, answer.inAnswer, ""), formula(answer.mathml))),
        make("div", {}, make("span", { class: "badge" }, answer.kind), " ",
          make("span", { class: "soft" }, `${answer.edits} edit${answer.edits === 1 ? "" : "s"}, ${sure}`)),
        make("ul", {}, ...answer.mistakes.slice(0, 4).map((text) => make("li", {}, text)),
          answer.mistakes.length > 4 ? make("li", {}, `and ${answer.mistakes.length - 4} more`) : null,
          answer.unknown.length ? make("li", {}, `not in the vocabulary: ${answer.unknown.join(" ")}`) : null));
    });
    box.append(make("div", {}, make("button", { type: "button", onclick: () => open(item) }, "Attention")));
    return box;
  }

  const views = new Map();
  let viewer = null;
  window.inktexView = (id, view) => views.set(id, view);
  function open(item) {
    const display = () => {
      dialog.querySelector(".about").textContent = `${item.stem}: ${item.truth.join(" ")}`;
      dialog.showModal();
      viewer = inktexViewer(dialog.querySelector(".view"), views.get(item.id));
    };
    if (views.has(item.id)) return display();
    const script = make("script", { src: `attention/${item.id}.js`, onload: display,
      onerror: () => { found.textContent = `attention/${item.id}.js is missing from the report`; } });
    document.head.append(script);
  }
  function close() { if (viewer) viewer.stop(); dialog.close(); }
  dialog.querySelector(".close").addEventListener("click", close);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
  more.addEventListener("click", showMore);
  document.querySelector(".summary").addEventListener("click", (event) => {
    const cell = event.target.closest("button.link");
    if (!cell) return;
    const { system, kind, wrong, true: truth, answer } = cell.dataset;
    set({ system: two ? system : "", kind, wrong, true: truth === "" ? NOTHING : truth, answer: answer === "" ? NOTHING : answer });
    document.getElementById("gallery").scrollIntoView({ behavior: "smooth" });
  });
  buildFilters();
  set(Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
})();
