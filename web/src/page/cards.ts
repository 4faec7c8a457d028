/** A button with a picture of ink and what it says. */
import { mathElement } from "../pad/formula";
import type { Stroke } from "../pad/ink";
import { inkThumbnail } from "./pictures";

export interface Card {
  strokes: readonly Stroke[];
  name: string;
  mathml?: string;
}

export function inkCard({ strokes, name, mathml }: Card, take: () => void): HTMLLIElement {
  const item = document.createElement("li"), button = document.createElement("button");
  button.type = "button";
  button.className = "card-button";
  button.setAttribute("aria-label", name);
  button.append(inkThumbnail(strokes));
  const caption = document.createElement("span");
  caption.className = "card-caption";
  if (mathml) {
    const math = mathElement(mathml);
    math.setAttribute("display", "inline");
    math.setAttribute("aria-hidden", "true");
    caption.append(math);
  } else caption.textContent = name;
  button.append(caption);
  button.addEventListener("click", take);
  item.append(button);
  return item;
}
