/** Elements of the page by their id, and its words. */
import { type Text, Words } from "../pad/strings";

export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** The words of the language that the page is shown in. */
export const speech = { words: new Words() };

export const say = (text: Text, values?: Record<string, string | number>): string => speech.words.say(text, values);
export const percent = (share: number): string => speech.words.percent(share);

/** Put the words of the present language into the page: `data-t` is an element's text, `data-t-label` its label. */
export function translate(root: ParentNode = document): void {
  document.documentElement.lang = speech.words.language;
  for (const each of root.querySelectorAll<HTMLElement>("[data-t]")) each.textContent = say(each.dataset.t as Text);
  for (const each of root.querySelectorAll<HTMLElement>("[data-t-label]")) {
    each.setAttribute("aria-label", say(each.dataset.tLabel as Text));
    if (each.matches("button")) each.title = say(each.dataset.tLabel as Text);
  }
  for (const each of root.querySelectorAll<HTMLInputElement>("[data-t-placeholder]")) each.placeholder = say(each.dataset.tPlaceholder as Text);
  document.title = say("title");
}
