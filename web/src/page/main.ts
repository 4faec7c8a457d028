/** The page: makes its parts and connects them. */
import "../pad/element";
import type { InktexPad } from "../pad/element";
import { Formula } from "../pad/formula";
import { type Stroke, newId } from "../pad/ink";
import { LocalBackend } from "../pad/local";
import { SocketBackend } from "../pad/socket";
import { Answer } from "./answer";
import { inkCard } from "./cards";
import { element, say, translate } from "./dom";
import { Editor } from "./editor";
import { type Example, Examples } from "./examples";
import { acceptDrops, type Content, copyAs, download, readFile, saveAs } from "./files";
import { keepDevice, loadDevice } from "./device";
import { FasterBackend } from "./faster";
import { makeFinder } from "./finder";
import { type Entry, History, presentOf, setPresent } from "./history";
import { type Commands, listen } from "./keys";
import { menu } from "./menu";
import { Notice } from "./notice";
import { beginSettings } from "./settings";
import { Why } from "./why";

const pad = element<InktexPad>("pad");
const { desk, sheet, pointer, link } = pad;
const { notebook } = desk;
const notice = new Notice(element("toast"), element("announcer"));
const editor = new Editor(element<HTMLTextAreaElement>("latex"), element("mirror"), link);
const answer = new Answer(pad, new Formula(element("formula"), link), editor, notice);
const why = new Why(pad, answer);
const past = new History();
const examples = new Examples(pad);

// The token may come in the address (…/#token=…), which browsers do not send; it stays in this tab.
function storedToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem("inktex.token", given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem("inktex.token");
}

// Where the ink is read: a page that was given a model reads by itself, another asks the server it came from.
const model = document.querySelector<HTMLMetaElement>('meta[name="inktex-model"]')?.content;
const server = model ? null : new SocketBackend(document.baseURI, { token: storedToken() });

beginSettings(pad, () => {
  showState();
  showHistory();
  answer.retell();
  void examples.load(element("examples-list"), element("try"), takeExample);
});
pad.backend = server ? new FasterBackend(server, loadDevice) : new LocalBackend(new URL(model!, document.baseURI));

element("for-programs").hidden = server === null;

// Ink ------------------------------------------------------------------------------------------------------------

let endedAt = 0; // when the ink last changed, to know how long the answer took
let formulaId = newId();

desk.addEventListener("ink", () => {
  why.close();
  endedAt = performance.now();
  showState();
  setPresent({ id: formulaId, page: notebook.page });
  keep();
});

desk.addEventListener("answer", () => {
  showState();
  keep();
  if (desk.stale || !desk.readings.length) return;
  const milliseconds = performance.now() - endedAt;
  document.dispatchEvent(new CustomEvent("inktex:answer", { detail: { milliseconds, latex: answer.latex } }));
});

desk.addEventListener("state", () => {
  showState();
  if (desk.backend?.state === "locked") element<HTMLDialogElement>("lock").showModal();
});

desk.addEventListener("problem", (event) => notice.say((event as CustomEvent<string>).detail, { problem: true }));

function showState(): void {
  const { backend } = desk;
  if (!backend) return;
  const state = backend.state === "ready" && desk.stale ? "reading" : backend.state;
  element("state").dataset.state = state;
  element("state-text").textContent = state === "ready" ? `${say("state.ready")} · ${say(`place.${backend.place}`)}` : say(`state.${state}`);
  for (const id of ["show-finder", "help-finder"]) element(id).hidden = !backend.symbols;
  element("where").textContent = say(`place.${backend.place}`);
  element("know-where").textContent = say(backend.place === "device" ? "know.where.device" : "know.where.server");
}

function keep(): void {
  const { strokes, pins, choices } = notebook.page;
  const mathml = desk.readings[0]?.mathml ?? "";
  past.keep({ id: formulaId, strokes, pins, choices, latex: desk.readings.map(({ latex }) => latex).join("\n"), mathml });
}

/** Put ink on the paper in place of what is there, which the history keeps. */
function beginWith(strokes: readonly Stroke[], entry?: Entry): void {
  void past.flush();
  examples.stop();
  formulaId = entry?.id ?? newId();
  if (entry) past.take(entry);
  if (entry) notebook.open({ strokes: entry.strokes, pins: entry.pins, choices: entry.choices });
  else notebook.commit(strokes);
  sheet.fit(strokes, 1.4);
}

// Tools ----------------------------------------------------------------------------------------------------------

pointer.addEventListener("down", () => {
  examples.stop();
  why.close(true);
  if (document.activeElement === editor.field) editor.field.blur();
});
pointer.addEventListener("scratched", (event) => notice.say(say("scratched", { n: (event as CustomEvent<number>).detail })));

const showDialog = (id: string): void => element<HTMLDialogElement>(id).showModal();

const commands: Commands = {
  tool: (tool) => pointer.setTool(tool),
  holdSpace: (held) => (pointer.space = held),
  undo: () => {
    examples.stop();
    if (!pad.undo()) notice.say(say("nothingToUndo"));
  },
  redo: () => void pad.redo(),
  clear: () => {
    if (!notebook.strokes.length) return;
    beginWith([]);
    pad.canvas.focus();
    notice.announce(say("newFormula"));
  },
  erase: () => pad.erase(),
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
  edit: () => editor.field.focus(),
  why: () => why.toggle(),
  candidate: (number) => answer.chooseNumber(number),
  examples: () => showDialog("examples"),
  help: () => showDialog("help"),
  open: () => element("file").click(),
  save: () => void save("inkml"),
  copy: () => void copy("latex"),
};

pad.addEventListener("clear", (event) => {
  event.preventDefault();
  commands.clear();
});
pad.addEventListener("undo", () => examples.stop());
for (const [id, command] of Object.entries({ open: "open", "show-examples": "examples", "show-help": "help", copy: "copy" } as const)) {
  element(id).addEventListener("click", () => commands[command]());
}
element("show-settings").addEventListener("click", () => showDialog("settings"));
const showFinder = makeFinder(pad, notice);
element("show-finder").addEventListener("click", showFinder);
element("help-finder").addEventListener("click", () => {
  element<HTMLDialogElement>("help").close();
  showFinder();
});
listen(commands);

// Files and clipboard --------------------------------------------------------------------------------------------

async function openFiles(files: readonly File[]): Promise<void> {
  for (const file of files) {
    try {
      const inks = await readFile(file, desk.backend);
      for (const { name, strokes } of inks.slice(1).reverse()) {
        past.keep({ id: newId(), strokes, pins: [], choices: [], latex: name, mathml: "" });
        await past.flush();
      }
      beginWith(inks[0].strokes);
      notice.say(inks.length > 1 ? say("openedMany", { name: file.name, n: inks.length }) : say("opened", { name: file.name }));
    } catch (error) {
      notice.say((error as Error).message, { problem: true });
    }
  }
}

function content(): Content {
  const { reading } = answer;
  return {
    strokes: notebook.strokes, latex: answer.latex, mathml: reading?.mathml ?? "", typst: reading?.typst ?? "", lines: desk.readings,
  };
}

/** Do something with what is on the page, or say that there is nothing, or what went wrong. */
async function use(needs: boolean, nothing: "nothingToCopy" | "nothingToSave", work: (all: Content) => Promise<string | void>): Promise<void> {
  if (!needs) {
    notice.say(say(nothing));
    return;
  }
  try {
    const told = await work(content());
    if (told) notice.say(told);
  } catch (error) {
    notice.say((error as Error).message, { problem: true });
  }
}

const save = (kind: string): Promise<void> =>
  use(kind.startsWith("formula.") ? answer.latex !== "" : notebook.strokes.length > 0, "nothingToSave", (all) => saveAs(kind, all));
const copy = (kind: string): Promise<void> =>
  use(kind.startsWith("ink") ? notebook.strokes.length > 0 : answer.latex !== "", "nothingToCopy", (all) => copyAs(kind, all));

element<HTMLInputElement>("file").addEventListener("change", (event) => {
  const input = event.target as HTMLInputElement;
  void openFiles([...input.files!]).then(() => (input.value = ""));
});
acceptDrops(element("drop"), (files) => void openFiles(files));
menu(element("save"));
menu(element("copy-more"));
for (const button of document.querySelectorAll<HTMLElement>("[data-save]")) button.addEventListener("click", () => void save(button.dataset.save!));
for (const button of document.querySelectorAll<HTMLElement>("[data-copy]")) button.addEventListener("click", () => void copy(button.dataset.copy!));

// Examples, history, token ---------------------------------------------------------------------------------------

function takeExample(example: Example): void {
  element<HTMLDialogElement>("examples").close();
  void past.flush();
  formulaId = newId();
  void examples.write(example);
}

function takeEntry(entry: Entry): void {
  element<HTMLDialogElement>("history").close();
  beginWith(entry.strokes, entry);
}

const nameOf = (entry: Entry): string => entry.name || entry.latex || say("ink");

function historyCard(entry: Entry): HTMLLIElement {
  const card = inkCard({ strokes: entry.strokes, name: nameOf(entry), mathml: entry.name ? "" : entry.mathml }, () => takeEntry(entry));
  const name = document.createElement("input"), remove = document.createElement("button"), row = document.createElement("div");
  name.type = "text";
  name.value = entry.name;
  name.placeholder = say("rename");
  name.setAttribute("aria-label", say("nameFor", { latex: entry.latex || say("ink") }));
  name.addEventListener("change", () => void past.rename(entry.id, name.value.trim()));
  remove.type = "button";
  remove.className = "round";
  remove.setAttribute("aria-label", say("deleteOne", { name: nameOf(entry) }));
  remove.innerHTML = '<svg class="icon" aria-hidden="true"><use href="icons.svg#close"/></svg>';
  remove.addEventListener("click", () => {
    element("history-search").focus(); // the button goes with its card
    void past.remove(entry.id);
  });
  row.className = "card-tools";
  row.append(name, remove);
  card.append(row);
  return card;
}

function showHistory(): void {
  const found = past.search(element<HTMLInputElement>("history-search").value);
  const active = document.activeElement;
  if (!(active instanceof HTMLInputElement && element("history-list").contains(active))) {
    element("history-list").replaceChildren(...found.slice(0, 200).map(historyCard));
  }
  element("history-empty").hidden = found.length > 0;
  const others = past.entries.filter(({ id }) => id !== formulaId).slice(0, 6);
  element("recent-list").replaceChildren(...others.map((entry) => inkCard({ strokes: entry.strokes, name: nameOf(entry), mathml: entry.mathml }, () => takeEntry(entry))));
  element("recent").hidden = !others.length;
}

past.addEventListener("change", showHistory);
past.addEventListener("parted", (event) => {
  const { from, to } = (event as CustomEvent<{ from: string; to: string }>).detail;
  if (formulaId !== from) return;
  formulaId = to;
  setPresent({ id: to, page: notebook.page });
});
element("history-search").addEventListener("input", showHistory);
element("show-history").addEventListener("click", () => void past.flush().then(() => showDialog("history")));
element("history-export").addEventListener("click", () => download("inktex-history.json", past.export(), "application/json"));
element("history-import").addEventListener("click", () => element("history-file").click());
element<HTMLInputElement>("history-file").addEventListener("change", async (event) => {
  const input = event.target as HTMLInputElement;
  const count = await past.import(await input.files![0].text());
  input.value = "";
  notice.say(count === null ? say("notHistory") : say("imported", { n: count }), { problem: count === null });
});
element("history-clear").addEventListener("click", () => {
  element("history-sure").hidden = false;
  element("history-sure-yes").focus();
});
element("history-sure-no").addEventListener("click", () => (element("history-sure").hidden = true));
element("history-sure-yes").addEventListener("click", () => {
  element("history-sure").hidden = true;
  void past.clear();
});

element("lock-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const { value } = element<HTMLInputElement>("lock-token");
  sessionStorage.setItem("inktex.token", value);
  if (server) server.token = value;
  element<HTMLDialogElement>("lock").close();
});
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog && dialog.id !== "lock") dialog.close(); // outside its box
  });
}

// Beginning ------------------------------------------------------------------------------------------------------

const before = presentOf();
if (before?.page.strokes.length) {
  // A second tab begins as a copy of the first; from here on it is a formula of its own.
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (navigation?.type === "reload" || navigation?.type === "back_forward") formulaId = before.id;
  notebook.open(before.page, { undoable: false });
  sheet.fit(notebook.strokes, 1);
}
translate();
showState();
void past.load();
void examples.load(element("examples-list"), element("try"), takeExample);

/** Let the page work without a network. */
function keepFiles(): void {
  if ("serviceWorker" in navigator && isSecureContext) void navigator.serviceWorker.register("sw.js").catch(() => {});
}

/** Once a server answers that keeps no secrets, the page gets ready to do without it. */
function prepareForLater(): void {
  if (server?.state !== "ready") return;
  server.removeEventListener("state", prepareForLater);
  if (!server.token) void keepDevice().catch(() => {});
}
server?.addEventListener("state", prepareForLater);

// A page that reads by itself loads its model first: fetched at the same time for keeping, it would come twice.
if (!model || desk.backend?.state !== "connecting") keepFiles();
else desk.addEventListener("state", keepFiles, { once: true });
