/** Words to the person: a line that appears for a moment, and what a screen reader is told. */

export class Notice {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pending: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly toast: HTMLElement, private readonly announcer: HTMLElement) {}

  /** Show for a moment, and say. */
  say(text: string, { problem = false } = {}): void {
    clearTimeout(this.#timer);
    this.toast.textContent = text;
    this.toast.classList.toggle("problem", problem);
    this.toast.hidden = false;
    if (this.toast.matches(":popover-open")) this.toast.hidePopover();
    this.toast.showPopover(); // over an open dialog, too
    this.#timer = setTimeout(() => (this.toast.hidden = true), problem ? 6000 : 2200);
  }

  /** Tell the screen reader only; of several in a row, the last. */
  announce(text: string): void {
    clearTimeout(this.#pending);
    this.#pending = setTimeout(() => (this.announcer.textContent = text), 400);
  }
}
