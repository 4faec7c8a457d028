/**
 * Handwritten mathematics for Obsidian: a command opens a pad; what is written on it goes into the note as LaTeX.
 *
 * The recogniser runs in a worker on this device. Model and WebAssembly lie in the plug-in's folder; they are loaded when the pad
 * is opened for the first time, and are kept until the plug-in is switched off.
 */
import { type InktexPad, LocalBackend } from "inktex/pad";
import workerSource from "inktex/worker";
import { type App, type Editor, MarkdownView, Modal, normalizePath, Notice, Plugin } from "obsidian";

export default class InktexPlugin extends Plugin {
  private pad: InktexPad | null = null;
  private urls: string[] = [];

  override onload(): void {
    this.addCommand({
      id: "write-formula",
      name: "Write a formula by hand",
      editorCallback: (editor) => this.open(editor),
    });
    this.addRibbonIcon("pen-tool", "Write a formula by hand", () => {
      const view = this.app.workspace.getActiveViewOfType(MarkdownView);
      if (view) this.open(view.editor);
      else new Notice("Open a note first.");
    });
  }

  override onunload(): void {
    if (this.pad) this.pad.backend = null; // ends the worker
    this.pad = null;
    for (const url of this.urls) URL.revokeObjectURL(url);
    this.urls = [];
  }

  private open(editor: Editor): void {
    const pad = (this.pad ??= this.makePad());
    pad.setAttribute("theme", document.body.classList.contains("theme-dark") ? "dark" : "light");
    new FormulaModal(this.app, pad, (latex, display) => {
      editor.replaceSelection(display ? `$$\n${latex}\n$$\n` : `$${latex}$`);
      editor.focus();
    }).open();
  }

  private makePad(): InktexPad {
    const pad = document.createElement("inktex-pad") as InktexPad;
    pad.addEventListener("problem", (event) => new Notice(String((event as CustomEvent<string>).detail)));
    void this.loadModel(pad);
    return pad;
  }

  private async loadModel(pad: InktexPad): Promise<void> {
    try {
      const [model, wasm] = await Promise.all([this.read("model.inktex"), this.read("ort-wasm-simd-threaded.wasm")]);
      if (this.pad !== pad) return; // switched off meanwhile
      pad.backend = new LocalBackend(model, {
        name: "inktex",
        worker: this.addressOf(workerSource, "text/javascript"),
        wasm: this.addressOf(wasm, "application/wasm"),
      });
    } catch (error) {
      this.pad = null; // the next attempt begins anew
      new Notice(`The recogniser cannot be loaded: ${(error as Error).message}`);
    }
  }

  private read(name: string): Promise<ArrayBuffer> {
    return this.app.vault.adapter.readBinary(normalizePath(`${this.manifest.dir}/${name}`));
  }

  private addressOf(content: BlobPart, type: string): string {
    const url = URL.createObjectURL(new Blob([content], { type }));
    this.urls.push(url);
    return url;
  }
}

/** The pad, and what to do with what is written on it. */
class FormulaModal extends Modal {
  constructor(app: App, private readonly pad: InktexPad, private readonly insert: (latex: string, display: boolean) => void) {
    super(app);
  }

  override onOpen(): void {
    this.setTitle("Write a formula");
    this.modalEl.addClass("inktex-modal");
    this.pad.clear();
    this.contentEl.append(this.pad);
    const buttons = this.contentEl.createDiv({ cls: "inktex-buttons" });
    this.button(buttons, "Insert as block", true);
    this.button(buttons, "Insert", false).addClass("mod-cta");
  }

  private button(parent: HTMLElement, text: string, display: boolean): HTMLButtonElement {
    const button = parent.createEl("button", { text, type: "button" });
    button.addEventListener("click", () => {
      const { latex } = this.pad;
      if (!latex) {
        new Notice("Nothing is read yet.");
        return;
      }
      this.close();
      this.insert(latex, display);
    });
    return button;
  }

  override onClose(): void {
    this.pad.remove(); // it is used again
    this.contentEl.empty();
  }
}
