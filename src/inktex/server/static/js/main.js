// The page: makes its parts and connects them.

import { Answer, count } from "./answer.js";
import { Editor } from "./editor.js";
import { Examples } from "./examples.js";
import { acceptDrops, copyAs, readFile, saveInk } from "./files.js";
import { Formula } from "./formula.js";
import { listen, walkStrokes } from "./keys.js";
import { Link } from "./link.js";
import { Live } from "./live.js";
import { menu } from "./menu.js";
import { Notebook } from "./notebook.js";
import { Notice } from "./notice.js";
import { Pointer } from "./pointer.js";
import { Sheet } from "./sheet.js";
import { Visit } from "./visit.js";
import { Why } from "./why.js";

const element = (id) => document.getElementById(id);
const STATES = {
  connecting: "Connecting…", ready: "Ready", reading: "Reading…", offline: "No connection – your ink is kept",
  busy: "Server busy – trying again", locked: "Token wanted",
};

const notice = new Notice(element("toast"), element("announcer"));
const link = new Link();
const notebook = new Notebook();
const sheet = new Sheet(element("settled"), element("wet"));
const pointer = new Pointer(sheet, notebook, link);
const live = new Live(storedToken());
const formula = new Formula(element("formula"), link);
const editor = new Editor(element("latex"), element("mirror"), link);
const answer = new Answer({ live, link, sheet, formula, editor, notice });
const why = new Why({ live, link, sheet, answer, notice });
const visit = new Visit();
const examples = new Examples({ sheet, notebook, notice });

// The token may come in the address (…/#token=…), which browsers do not send; it stays in this tab.
function storedToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem("inktex.token", given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem("inktex.token");
}

// Ink ------------------------------------------------------------------------------------------------------------

let endedAt = 0; // when the ink last changed, to know how long the answer took

notebook.addEventListener("change", ({ detail: { strokes } }) => {
  sheet.strokes = strokes;
  sheet.selected = new Set([...sheet.selected].filter((id) => strokes.some((stroke) => stroke.id === id)));
  why.close();
  endedAt = performance.now();
  live.sync(strokes);
  if (!strokes.length) answer.clear();
  showState(strokes.length && live.state === "ready" ? "reading" : live.state);
  refresh();
  visit.now = strokes;
});

function refresh() {
  const { strokes } = notebook;
  sheet.paint();
  element("undo").disabled = !notebook.canUndo;
  element("redo").disabled = !notebook.canRedo;
  element("clear").disabled = !strokes.length;
  element("welcome").hidden = strokes.length > 0;
  const text = strokes.length ? `Paper with ${count(strokes.length, "stroke")}` : "Paper to write on";
  sheet.settled.setAttribute("aria-label", text);
}

/** Put ink on the paper in place of what is there, which the visit keeps. */
function replaceInk(strokes) {
  keepPresent();
  examples.stop();
  notebook.commit(strokes);
  sheet.fit(strokes, 1.4);
}

function keepPresent() {
  visit.keep({ strokes: notebook.strokes, latex: answer.latex, mathml: answer.mathml });
}

live.addEventListener("ready", () => {
  live.sync(notebook.strokes);
  showState(notebook.strokes.length ? "reading" : "ready");
});
live.addEventListener("state", () => {
  showState(live.state);
  if (live.state === "locked") element("lock").showModal();
});
live.addEventListener("answer", ({ detail }) => {
  if (detail.revision === live.revision) showState("ready");
  const milliseconds = performance.now() - endedAt;
  document.dispatchEvent(new CustomEvent("inktex:answer", { detail: { milliseconds, latex: answer.latex } }));
});
live.addEventListener("chosen", ({ detail }) => answer.alignChoice(detail));
live.addEventListener("error", ({ detail }) => {
  showState("ready");
  // What cannot be kept for later ink still stands on the page.
  if (detail.code !== "not_kept") notice.say(detail.message, { problem: true });
});

function showState(state) {
  element("state").dataset.state = state;
  element("state-text").textContent = STATES[state];
}

link.addEventListener("change", () => {
  sheet.lit = link.strokes;
  sheet.paint();
});

// Ink is shown beside the tools, not under them.
function measureRoom() {
  const paper = sheet.settled.getBoundingClientRect(), tools = element("tools").getBoundingClientRect();
  const beside = tools.height > tools.width;
  sheet.clear = { left: beside ? tools.right - paper.left : 0, top: 0, right: 0, bottom: beside ? 0 : paper.bottom - tools.top };
}
sheet.addEventListener("resize", measureRoom);
measureRoom();

// Tools ----------------------------------------------------------------------------------------------------------

for (const button of document.querySelectorAll("[data-tool]")) {
  if (button.matches("button")) button.addEventListener("click", () => commands.tool(button.dataset.tool));
}
pointer.addEventListener("tool", () => {
  for (const button of document.querySelectorAll("button[data-tool]")) {
    button.setAttribute("aria-pressed", String(button.dataset.tool === pointer.tool));
  }
});
pointer.addEventListener("down", () => {
  examples.stop();
  why.close();
  element("welcome").hidden = true;
});
pointer.addEventListener("up", () => refresh());
pointer.addEventListener("scratched", ({ detail }) => notice.say(`${count(detail, "stroke")} scratched out`));
sheet.addEventListener("view", () => (element("zoom-fit").textContent = `${Math.round(sheet.view.zoom * 100)} %`));

const commands = {
  tool: (tool) => pointer.setTool(tool),
  holdSpace: (held) => (pointer.space = held),
  undo: () => {
    examples.stop();
    if (!notebook.undo()) notice.say("Nothing to undo");
  },
  redo: () => notebook.redo(),
  clear: () => {
    if (!notebook.strokes.length) return;
    keepPresent();
    examples.stop();
    notebook.commit([]);
    sheet.fit([]);
    sheet.settled.focus();
    notice.announce("New formula");
  },
  erase: () => {
    if (sheet.selected.size) notebook.remove([...sheet.selected]);
    else if (sheet.cursor) {
      notebook.remove([sheet.cursor]);
      sheet.cursor = null;
    }
  },
  selectAll: () => {
    pointer.setTool("select");
    pointer.select(notebook.strokes.map(({ id }) => id));
  },
  escape: () => {
    why.close();
    pointer.select([]);
    link.clear();
  },
  zoom: (factor) => sheet.zoomAt(factor),
  fit: () => sheet.fit(),
  edit: () => element("latex").focus(),
  why: () => why.toggle(),
  candidate: (number) => answer.chooseNumber(number),
  examples: () => element("examples").showModal(),
  help: () => element("help").showModal(),
  open: () => element("file").click(),
  save: () => save("inkml"),
  copy: () => copy("latex"),
};

for (const [id, command] of Object.entries({
  undo: "undo", redo: "redo", clear: "clear", "zoom-fit": "fit", open: "open", "show-examples": "examples", "show-help": "help", copy: "copy",
})) {
  element(id).addEventListener("click", () => commands[command]());
}
element("zoom-in").addEventListener("click", () => commands.zoom(1.25));
element("zoom-out").addEventListener("click", () => commands.zoom(0.8));
listen(commands);
walkStrokes({ sheet, notebook, pointer, link, answer, notice });

// Files and clipboard --------------------------------------------------------------------------------------------

async function openFiles(files) {
  for (const file of files) {
    try {
      const inks = await readFile(file, live);
      for (const { name, strokes } of inks.slice(1).reverse()) visit.keep({ strokes, latex: name });
      replaceInk(inks[0].strokes);
      notice.say(inks.length > 1 ? `${file.name}: ${inks.length} inks, the others are in the history` : `${file.name} opened`);
    } catch (error) {
      notice.say(error.message, { problem: true });
    }
  }
}

async function save(kind) {
  if (notebook.strokes.length) await saveInk(kind, notebook.strokes, answer.latex);
  else notice.say("There is no ink to save yet");
}

async function copy(kind) {
  if (answer.empty && !kind.startsWith("ink") && !answer.latex) {
    notice.say("There is nothing to copy yet");
    return;
  }
  try {
    const { latex, mathml, typst } = answer;
    notice.say(await copyAs(kind, { latex, mathml, typst, math: formula.box.firstElementChild, strokes: notebook.strokes }));
  } catch (error) {
    notice.say(error.message, { problem: true });
  }
}

element("file").addEventListener("change", async (event) => {
  await openFiles([...event.target.files]);
  event.target.value = "";
});
acceptDrops(document.body, element("drop"), openFiles);
menu(element("save"));
menu(element("copy-more"));
for (const button of document.querySelectorAll("[data-save]")) button.addEventListener("click", () => save(button.dataset.save));
for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button.dataset.copy));

// Examples, history, token ---------------------------------------------------------------------------------------

function takeExample(example) {
  element("examples").close();
  keepPresent();
  examples.write(example);
}

function takeEntry(entry) {
  element("visit").close();
  replaceInk(entry.strokes);
}

function showVisit() {
  element("visit-list").replaceChildren(...visit.cards(takeEntry));
  element("recent-list").replaceChildren(...visit.cards(takeEntry, 6));
  element("recent").hidden = !visit.entries.length;
  element("visit-forget").hidden = !visit.entries.length;
}

visit.addEventListener("change", showVisit);
element("show-visit").addEventListener("click", () => element("visit").showModal());
element("visit-forget").addEventListener("click", () => visit.forget());
element("lock-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("inktex.token", element("lock-token").value);
  live.token = element("lock-token").value;
  element("lock").close();
});
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog && dialog.id !== "lock") dialog.close(); // outside its box
  });
}

showVisit();
examples.load({ list: element("examples-list"), welcome: element("try"), take: takeExample });
if (visit.now.length) {
  notebook.commit(visit.now);
  sheet.fit(notebook.strokes, 1);
}
refresh();
document.fonts.ready.then(() => formula.fit());
