// Words to the person: a line that appears for a moment, and what a screen reader is told.

export class Notice {
  constructor(toast, announcer) {
    this.toast = toast;
    this.announcer = announcer;
  }

  /** Show for a moment, and say. */
  say(text, { problem = false } = {}) {
    clearTimeout(this.timer);
    this.toast.textContent = text;
    this.toast.classList.toggle("problem", problem);
    this.toast.hidden = false;
    this.timer = setTimeout(() => (this.toast.hidden = true), problem ? 6000 : 2200);
  }

  /** Tell the screen reader only; of several in a row, the last. */
  announce(text) {
    clearTimeout(this.pending);
    this.pending = setTimeout(() => (this.announcer.textContent = text), 400);
  }
}
