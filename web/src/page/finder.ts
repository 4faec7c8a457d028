/** Find the command of one symbol by drawing it: a small paper, and the likeliest commands below it, to copy. */
import type { InktexPad } from "../pad/element";
import { characterOf } from "../pad/table";
import { element, percent, say } from "./dom";
import { copyText } from "./files";
import type { Notice } from "./notice";

interface Found {
  latex: string;
  probability: number;
}

const PATIENCE = [300, 1000, 2500]; // ms between attempts

/** Prepare the dialog; gives what opens it. The commands come from what reads for `page`. */
export function makeFinder(page: InktexPad, notice: Notice): () => void {
  const dialog = element<HTMLDialogElement>("finder"), list = element("finder-list");
  let pad: InktexPad | null = null; // made when it is first wanted
  let asked = 0;

  async function find(): Promise<void> {
    const number = ++asked;
    const { strokes } = pad!.desk.notebook;
    let found: Found[] | null = strokes.length ? null : [];
    for (const pause of PATIENCE) {
      found ??= await page.backend!.symbols!(strokes).catch(() => null);
      if (!found) await new Promise((resolve) => setTimeout(resolve, pause)); // busy, perhaps
      if (number !== asked) return; // more was drawn meanwhile
    }
    if (!found) notice.say(say("offline"), { problem: true });
    list.replaceChildren(...(found ?? []).map(row));
  }

  function row({ latex, probability }: Found): HTMLLIElement {
    const item = document.createElement("li"), button = document.createElement("button");
    const symbol = document.createElement("span"), command = document.createElement("code"), share = document.createElement("span");
    button.type = "button";
    symbol.className = "finder-symbol";
    symbol.textContent = characterOf.get(latex) ?? "";
    symbol.setAttribute("aria-hidden", "true");
    command.textContent = latex;
    share.className = "share";
    share.textContent = probability < 0.01 ? "" : percent(probability);
    button.append(symbol, command, share);
    button.addEventListener("click", () => {
      copyText(latex).then(() => notice.say(say("copied", { what: latex })), (error: Error) => notice.say(error.message, { problem: true }));
    });
    item.append(button);
    return item;
  }

  element("finder-clear").addEventListener("click", () => {
    pad?.clear();
    pad?.canvas.focus();
  });
  return () => {
    if (!pad) {
      pad = document.createElement("inktex-pad") as InktexPad;
      pad.setAttribute("answer", "none");
      pad.setAttribute("tools", "none");
      pad.addEventListener("change", () => void find());
      element("finder-paper").append(pad);
    }
    dialog.showModal();
    pad.canvas.focus();
  };
}
