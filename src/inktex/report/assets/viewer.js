"use strict";
/* Attention on ink, to be looked at: `inktexViewer(element, view)` builds the viewer for one ink.
   A view is what `page.py` writes: strokes in pixels, and readings of them. In a reading, `light` holds one
   string per step with a base-36 digit per drawn point; `shares` per step the percent of attention on each
   stroke. Nothing is loaded from anywhere. */

function inktexViewer(root, view) {
  const LIGHT_MAX = 35;
  const RAMP = [[0, [107, 42, 34]], [0.35, [179, 36, 27]], [0.7, [255, 77, 46]], [1, [255, 210, 184]]];
  const state = { reading: 0, step: 0, playing: null, soFar: false, numbers: false };

  function heat(share) {
    for (let i = 1; i < RAMP.length; i++) {
      const [low, from] = RAMP[i - 1], [high, to] = RAMP[i];
      if (share <= high) {
        const part = Math.max(0, (share - low) / (high - low));
        return `rgb(${from.map((value, c) => Math.round(value + part * (to[c] - value))).join(" ")})`;
      }
    }
    return "rgb(255 210 184)";
  }
  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }
  function makeSvg(tag, attributes) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }
  // MathML comes from the program, escaped; everything else is set as text.
  function formula(markup) {
    const holder = make("span", {});
    holder.innerHTML = markup || "";
    return holder;
  }
  const percent = (share) => `${Math.round(100 * share)} %`;
  const reading = () => view.readings[state.reading];
  const labels = () => [...reading().tokens, "(end)"];

  // The parts that stay.
  const answers = make("div", { class: "answers", role: "tablist", "aria-label": "answers" });
  const formulaBox = make("div", { class: "formula" });
  const source = make("code", { class: "source" });
  const svg = makeSvg("svg", { viewBox: `0 0 ${view.width} ${view.height}`, class: "ink", role: "img" });
  const tokens = make("div", { class: "tokens", role: "tablist", "aria-label": "tokens" });
  const note = make("div", { class: "note", "aria-live": "polite" });
  const slider = make("input", { type: "range", min: 0, "aria-label": "step", oninput: () => show(+slider.value) });
  const play = make("button", { type: "button", onclick: toggle }, "Play");
  const soFar = make("input", { type: "checkbox", onchange: () => { state.soFar = soFar.checked; show(state.step); } });
  const numbers = make("input", { type: "checkbox", onchange: () => { state.numbers = numbers.checked; drawInk(); show(state.step); } });
  const matrix = make("div", { class: "matrix" });
  const warnings = make("div", { class: "warning" });
  root.replaceChildren(make("div", { class: "viewer" },
    view.readings.length > 1 ? answers : null,
    make("div", { class: "head" }, formulaBox, source),
    make("div", { class: "stage" }, svg),
    make("div", { class: "controls" }, play, slider,
      make("label", {}, soFar, "all read so far"), make("label", {}, numbers, "stroke numbers")),
    tokens, note, warnings,
    make("details", {}, make("summary", {}, "Attention of every token on every stroke"), matrix)));

  view.readings.forEach((each, index) => {
    answers.append(make("button", { type: "button", role: "tab", onclick: () => choose(index) },
      make("span", { class: "soft" }, each.title), formula(each.mathml)));
  });

  const lineWidth = 2.6; // in pixels of the screen, whatever the size of the ink
  const paths = view.strokes.map((flat) => {
    const points = [];
    for (let i = 0; i < flat.length; i += 2) points.push([flat[i] / 10, flat[i + 1] / 10]);
    return points;
  });
  const pathOf = (points) => `M${points.map((p) => p.join(" ")).join("L")}${points.length === 1 ? "h0.01" : ""}`;
  const lit = makeSvg("g", {});

  function drawInk() {
    svg.replaceChildren();
    const unread = new Set(reading().unread);
    paths.forEach((points, stroke) => {
      svg.append(makeSvg("path", { d: pathOf(points), "stroke-width": lineWidth, "data-stroke": stroke,
        class: `base${unread.has(stroke) ? " unread" : ""}` }));
    });
    svg.append(lit);
    if (state.numbers) {
      paths.forEach((points, stroke) => {
        const text = makeSvg("text", { x: points[0][0] - 4, y: points[0][1] - 4, "text-anchor": "middle" });
        text.textContent = stroke;
        svg.append(text);
      });
    }
    paths.forEach((points, stroke) => {
      const hit = makeSvg("path", { d: pathOf(points), "stroke-width": 14, class: "hit" });
      hit.addEventListener("pointerenter", () => showStroke(stroke));
      hit.addEventListener("pointerleave", () => show(state.step));
      hit.addEventListener("click", () => {
        const owner = reading().strokesOf.findIndex((strokes) => strokes.includes(stroke));
        if (owner >= 0) show(owner);
      });
      svg.append(hit);
    });
  }

  function lightAt(step) {
    const digits = (line) => Array.from(line, (digit) => parseInt(digit, 36) / LIGHT_MAX);
    if (!state.soFar) return digits(reading().light[step]);
    let most = digits(reading().light[0]);
    for (let before = 1; before <= step; before++) {
      const next = digits(reading().light[before]);
      most = most.map((value, i) => Math.max(value, next[i]));
    }
    return most;
  }

  function drawLight(light) {
    lit.replaceChildren();
    const pieces = [];
    let at = 0;
    for (const points of paths) {
      const inside = light.slice(at, at + points.length);
      at += points.length;
      if (points.length === 1) pieces.push([inside[0], points]);
      let run = [], level = -1;
      for (let i = 1; i < points.length; i++) {
        const here = Math.round(12 * (inside[i - 1] + inside[i]) / 2);
        if (here !== level) {
          if (level > 0) pieces.push([level / 12, run]);
          run = [points[i - 1]];
          level = here;
        }
        run.push(points[i]);
      }
      if (level > 0) pieces.push([level / 12, run]);
    }
    pieces.sort((a, b) => a[0] - b[0]);
    for (const glowing of [true, false]) {
      for (const [share, points] of pieces) {
        if (share <= 0) continue;
        lit.append(makeSvg("path", { d: pathOf(points), stroke: heat(share),
          "stroke-width": lineWidth * (1 + 0.9 * share) * (glowing ? 3.2 : 1), "stroke-opacity": glowing ? 0.16 : 1 }));
      }
    }
  }

  function choose(index) {
    stop();
    state.reading = index;
    const chosen = reading();
    Array.from(answers.children).forEach((button, i) => button.setAttribute("aria-selected", i === index));
    formulaBox.replaceChildren(formula(chosen.mathml));
    formulaBox.querySelectorAll("[data-token]").forEach((element) => {
      const step = +element.dataset.token;
      element.addEventListener("pointerenter", () => show(step, false));
      element.addEventListener("click", (event) => { event.stopPropagation(); show(step); });
    });
    source.textContent = chosen.tokens.join(" ");
    svg.setAttribute("aria-label", `ink read as ${chosen.tokens.join(" ")}`);
    tokens.replaceChildren(...labels().map((label, step) => {
      const sure = chosen.sure[step];
      const bar = make("span", { class: `sure${sure < 0.7 ? " unsure" : ""}`, style: `width:${percent(sure).replace(" ", "")}` });
      const names = ["structure", "differs", "rereads"].filter((name) => chosen[name].includes(step)).join(" ");
      return make("button", { type: "button", role: "tab", class: names, onclick: () => show(step),
        onpointerenter: () => show(step, false), onfocus: () => show(step) }, label, bar);
    }));
    slider.max = chosen.tokens.length;
    warnings.replaceChildren();
    if (chosen.unread.length) warnings.append(make("div", {}, `Strokes that no token read (dashed): ${chosen.unread.join(", ")}`));
    if (chosen.reread.length) warnings.append(make("div", {}, `Strokes that more than one token was read from: ${chosen.reread.join(", ")}`));
    drawInk();
    drawMatrix();
    show(Math.min(state.step, chosen.tokens.length));
  }

  function show(step, settle = true) {
    if (settle) state.step = step;
    const chosen = reading();
    drawLight(lightAt(step));
    slider.value = step;
    const mine = new Set(step < chosen.strokesOf.length ? chosen.strokesOf[step] : []);
    svg.querySelectorAll(".base").forEach((path) => path.classList.toggle("mine", mine.has(+path.dataset.stroke)));
    Array.from(tokens.children).forEach((button, i) => {
      button.setAttribute("aria-selected", i === step);
      button.tabIndex = i === step ? 0 : -1;
      button.classList.remove("looked");
    });
    formulaBox.querySelectorAll(".current").forEach((element) => element.classList.remove("current"));
    formulaBox.querySelectorAll(`[data-token="${step}"]`).forEach((element) => element.classList.add("current"));
    matrix.querySelectorAll("tr").forEach((row) => row.classList.toggle("current", +row.dataset.step === step));
    const looked = chosen.shares[step].map((share, stroke) => [share, stroke]).filter(([share]) => share >= 5)
      .sort((a, b) => b[0] - a[0]).slice(0, 5).map(([share, stroke]) => `stroke ${stroke}: ${share} %`).join(", ");
    const owned = mine.size ? ` It was read from stroke ${[...mine].join(", ")}.` : "";
    note.textContent = `Step ${step + 1} of ${chosen.tokens.length + 1}: ${labels()[step]} (${percent(chosen.sure[step])} sure). Looks at ${looked || "nothing in particular"}.${owned}`;
  }

  function showStroke(stroke) {
    const chosen = reading();
    svg.querySelectorAll(".base").forEach((path) => path.classList.toggle("mine", +path.dataset.stroke === stroke));
    const lookers = chosen.shares.map((row, step) => [row[stroke], step]).filter(([share]) => share >= 5).sort((a, b) => b[0] - a[0]);
    Array.from(tokens.children).forEach((button, i) => button.classList.toggle("looked", lookers.some(([, step]) => step === i)));
    const owner = chosen.strokesOf.findIndex((strokes) => strokes.includes(stroke));
    note.textContent = `Stroke ${stroke}: ${owner < 0 ? "read by no token" : `read as ${chosen.tokens[owner]}`}. Looked at by ` +
      (lookers.slice(0, 6).map(([share, step]) => `${labels()[step]} (${share} %)`).join(", ") || "nobody") + ".";
  }

  function drawMatrix() {
    const chosen = reading();
    const table = make("table", { class: "map" });
    table.append(make("tr", { "data-step": -1 }, make("th", {}, "stroke"), ...paths.map((_, stroke) => make("th", {}, String(stroke)))));
    labels().forEach((label, step) => {
      const row = make("tr", { "data-step": step }, make("th", { class: "mono" }, label));
      chosen.shares[step].forEach((share, stroke) => {
        const cell = make("td", { title: `${label} on stroke ${stroke}: ${share} %`, onclick: () => show(step) });
        if (share > 1) cell.style.background = heat(share / 100);
        if (step < chosen.strokesOf.length && chosen.strokesOf[step].includes(stroke)) cell.className = "owner";
        row.append(cell);
      });
      table.append(row);
    });
    matrix.replaceChildren(table, make("div", { class: "soft" }, "Framed: the strokes that a token was read from."));
  }

  function stop() {
    clearInterval(state.playing);
    state.playing = null;
    play.textContent = "Play";
  }
  function toggle() {
    if (state.playing) return stop();
    if (state.step >= reading().tokens.length) show(0);
    play.textContent = "Stop";
    state.playing = setInterval(() => {
      if (!root.isConnected || state.step >= reading().tokens.length) return stop();
      show(state.step + 1);
    }, 650);
  }
  tokens.addEventListener("pointerleave", () => show(state.step));
  formulaBox.addEventListener("pointerleave", () => show(state.step));
  root.addEventListener("keydown", (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move || event.target === slider) return;
    event.preventDefault();
    const step = Math.min(Math.max(state.step + move, 0), reading().tokens.length);
    show(step);
    tokens.children[step].focus();
  });
  choose(0);
  return { show, choose, stop };
}
