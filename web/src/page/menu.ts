/** Buttons that open a list of commands, as keyboards and screen readers expect it. */

/** Make a menu of `button` and the element it controls. */
export function menu(button: HTMLElement): void {
  const list = document.getElementById(button.getAttribute("aria-controls")!)!;
  const items = (): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[role^="menuitem"]')].filter((item) => item.checkVisibility());
  const isOpen = (): boolean => !list.hidden;

  /** Go to one; only it is reached by Tab. */
  function focus(item: HTMLElement | undefined): void {
    for (const each of items()) each.tabIndex = each === item ? 0 : -1;
    item?.focus();
  }

  function open(place = 0): void {
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    // Never beyond the window, wherever the button stands: where there is no room below it, the list begins higher.
    list.style.top = list.style.maxHeight = "";
    const { top, bottom } = list.getBoundingClientRect();
    const higher = Math.max(0, Math.min(bottom - (innerHeight - 12), top - 12));
    if (higher) list.style.top = `${list.offsetTop - higher}px`;
    list.style.maxHeight = `${innerHeight - (top - higher) - 12}px`;
    focus(items().at(place));
  }

  function close(refocus = true): void {
    if (!isOpen()) return;
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (refocus) button.focus();
  }

  button.addEventListener("click", () => (isOpen() ? close() : open()));
  button.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      open(event.key === "ArrowDown" ? 0 : -1);
    }
  });
  list.addEventListener("keydown", (event) => {
    const all = items(), place = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      focus(all.at(next % all.length));
    } else if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (event.key === "Tab") close(false);
  });
  list.addEventListener("click", (event) => {
    if ((event.target as Element).closest('[role^="menuitem"]')) close();
  });
  document.addEventListener("pointerdown", (event) => {
    if (isOpen() && !event.composedPath().includes(list) && !event.composedPath().includes(button)) close(false);
  });
}
