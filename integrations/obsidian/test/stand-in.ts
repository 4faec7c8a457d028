/**
 * As much of Obsidian as the plug-in uses, for a plain page. The types at the end say that nothing here is called otherwise than
 * in Obsidian's published typings.
 */
import type * as obsidian from "obsidian";

interface Made {
  cls?: string;
  text?: string;
  type?: string;
}

const helpers = {
  addClass(this: HTMLElement, name: string): void {
    this.classList.add(name);
  },
  empty(this: HTMLElement): void {
    this.replaceChildren();
  },
  createEl(this: HTMLElement, tag: string, made: Made = {}): HTMLElement {
    const element = document.createElement(tag);
    if (made.cls) element.className = made.cls;
    if (made.text) element.textContent = made.text;
    if (made.type) element.setAttribute("type", made.type);
    this.append(element);
    return element;
  },
  createDiv(this: HTMLElement, made: Made = {}): HTMLElement {
    return this.createEl("div", made as never) as HTMLElement;
  },
};
Object.assign(HTMLElement.prototype, helpers);

export class Modal {
  modalEl: HTMLElement = document.createElement("div");
  titleEl: HTMLElement = document.createElement("h2");
  contentEl: HTMLElement = document.createElement("div");

  constructor(public app: obsidian.App) {
    this.modalEl.className = "modal";
    this.modalEl.setAttribute("role", "dialog");
    this.modalEl.append(this.titleEl, this.contentEl);
  }

  open(): void {
    document.body.append(this.modalEl);
    this.onOpen();
  }

  close(): void {
    this.modalEl.remove();
    this.onClose();
  }

  setTitle(title: string): this {
    this.titleEl.textContent = title;
    return this;
  }

  onOpen(): void {}
  onClose(): void {}
}

export class Plugin {
  commands: obsidian.Command[] = [];
  ribbon: { icon: string; title: string; callback: (event: MouseEvent) => unknown }[] = [];

  constructor(public app: obsidian.App, public manifest: obsidian.PluginManifest) {}

  addCommand(command: obsidian.Command): obsidian.Command {
    this.commands.push(command);
    return command;
  }

  addRibbonIcon(icon: string, title: string, callback: (event: MouseEvent) => unknown): HTMLElement {
    this.ribbon.push({ icon, title, callback });
    return document.createElement("div");
  }

  onload(): void {}
  onunload(): void {}
}

export class Notice {
  static shown: string[] = [];

  constructor(message: string | DocumentFragment) {
    Notice.shown.push(String(message));
  }
}

export class MarkdownView {}

export const normalizePath = (path: string): string => path.replace(/^\/+|\/+$/g, "");

type Same<Name extends keyof Theirs, Ours, Theirs> = { [K in Name]: K extends keyof Ours ? (Theirs[K] extends Ours[K] ? true : never) : never };
/** Every method here takes and gives what Obsidian's takes and gives. */
export const checked: [
  Same<"open" | "close" | "onOpen" | "onClose", Modal, obsidian.Modal>,
  Same<"modalEl" | "contentEl" | "titleEl", Modal, obsidian.Modal>,
  Same<"addCommand" | "addRibbonIcon" | "onunload", Plugin, obsidian.Plugin>,
] = [
  { open: true, close: true, onOpen: true, onClose: true },
  { modalEl: true, contentEl: true, titleEl: true },
  { addCommand: true, addRibbonIcon: true, onunload: true },
];
