/* The sheet in the notebook: draws strokes, reports them, and shows the answer that Python gives. */

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function button(text, title, action) {
  const made = element("button", "inktex-button", text);
  made.type = "button";
  made.title = title;
  made.addEventListener("click", action);
  return made;
}

function render({ model, el }) {
  const root = element("div", "inktex");
  const canvas = element("canvas", "inktex-sheet");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "Sheet to write a formula on");
  canvas.tabIndex = 0;
  const tools = element("div", "inktex-tools");
  const result = element("output", "inktex-result");
  const source = element("code", "inktex-latex");
  const others = element("div", "inktex-others");
  root.append(canvas, tools, result, source, others);
  el.append(root);

  let strokes = model.get("drawn").map((each) => ({ number: each.stroke, points: each.points }));
  let current = null;
  let next = strokes.reduce((most, each) => Math.max(most, each.number + 1), 0);

  function paint() {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.strokeStyle = pen.fillStyle = getComputedStyle(canvas).color;
    pen.lineWidth = 2.4;
    pen.lineCap = pen.lineJoin = "round";
    for (const { points } of current ? [...strokes, current] : strokes) {
      pen.beginPath();
      if (points.length === 1) {
        pen.arc(points[0][0], points[0][1], 1.6, 0, 2 * Math.PI);
        pen.fill();
        continue;
      }
      points.forEach(([x, y], place) => (place ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.stroke();
    }
  }

  function position(event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || current) return;
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    current = { number: next, pointer: event.pointerId, points: [position(event)] };
    paint();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!current || event.pointerId !== current.pointer) return;
    const events = event.getCoalescedEvents ? event.getCoalescedEvents() : [];
    for (const each of events.length ? events : [event]) current.points.push(position(each));
    paint();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!current || event.pointerId !== current.pointer) return;
    strokes.push({ number: current.number, points: current.points });
    model.send({ action: "add", stroke: current.number, points: current.points });
    next += 1;
    current = null;
    paint();
  });
  canvas.addEventListener("pointercancel", () => {
    current = null;
    paint();
  });

  function undo() {
    const last = strokes.pop();
    if (last) model.send({ action: "remove", stroke: last.number });
    paint();
  }
  canvas.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "z") {
      event.preventDefault();
      event.stopPropagation();
      undo();
    }
  });
  tools.append(
    button("Undo", "Take back the last stroke (Ctrl+Z)", undo),
    button("Clear", "Empty the sheet", () => {
      strokes = [];
      model.send({ action: "clear" });
      paint();
    }),
    button("Copy", "Copy the LaTeX", () => navigator.clipboard?.writeText(model.get("latex"))),
  );

  function show() {
    result.innerHTML = model.get("mathml"); // made by inktex from its own tokens
    const message = model.get("message");
    const latex = model.get("latex");
    source.textContent = message || (latex ? `${latex}   (${Math.round(100 * model.get("score"))} %)` : "");
    others.replaceChildren(
      ...model.get("alternatives").map((other) =>
        button(other, "Take this reading", () => model.send({ action: "choose", latex: other })),
      ),
    );
  }

  function redraw() {
    const drawn = model.get("drawn");
    if (drawn.length !== strokes.length && !current) {
      strokes = drawn.map((each) => ({ number: each.stroke, points: each.points }));
      paint();
    }
  }

  function resize() {
    canvas.style.height = `${model.get("height")}px`;
    paint();
  }

  const names = ["latex", "score", "mathml", "alternatives", "message"].map((name) => `change:${name}`);
  for (const name of names) model.on(name, show);
  model.on("change:drawn", redraw);
  model.on("change:height", resize);
  const watcher = new ResizeObserver(paint);
  watcher.observe(canvas);
  resize();
  show();
  return () => {
    watcher.disconnect();
    for (const name of names) model.off(name, show);
    model.off("change:drawn", redraw);
    model.off("change:height", resize);
  };
}

export default { render };
