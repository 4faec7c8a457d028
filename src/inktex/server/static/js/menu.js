// Buttons that open a list of commands, as keyboards and screen readers expect it.

/** Make a menu of `button` and the element it controls. */
export function menu(button) {
  const list = document.getElementById(button.getAttribute("aria-controls"));
  const items = () => [...list.querySelectorAll('[role^="menuitem"]:not([disabled])')];
  const isOpen = () => !list.hidden;

  function open(focus = 0) {
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    items().at(focus)?.focus();
  }

  function close(refocus = true) {
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
    const all = items(), place = all.indexOf(document.activeElement);
    const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      all.at(next % all.length)?.focus();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (event.key === "Tab") close(false);
  });
  list.addEventListener("click", (event) => {
    if (event.target.closest('[role^="menuitem"]')) close();
  });
  document.addEventListener("pointerdown", (event) => {
    if (isOpen() && !list.contains(event.target) && !button.contains(event.target)) close(false);
  });
}
