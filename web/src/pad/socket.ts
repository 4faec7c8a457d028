/**
 * A server's live session as a backend: the ink goes out stroke by stroke, answers come in, the newest wins.
 *
 * The server keeps the strokes of a connection. What it knows is remembered here, so that only differences are sent. It is
 * forgotten whenever the connection is another one, and whenever an answer shows that the server has other strokes than
 * believed; then all ink is sent again. An answer that does not come in time means a dead connection.
 */
import {
  type Answer, type Backend, type Candidate, changes, type Explanation, type Forms, type InkFile, type Known, type Line, type Recognition,
  type State,
} from "./backend";
import type { Stroke } from "./ink";
import type { Pin } from "./notebook";

const PATIENCE = [300, 700, 1500, 3000, 5000]; // ms between attempts to connect
const SILENCE = 15_000; // ms without an answer, after which the connection is taken for dead
const NOTHING: Known = { strokes: [], pins: [] };

interface LineMessage {
  line: number;
  version?: number;
  strokes?: string[];
  recognition?: Recognition;
  alternatives?: Candidate[];
  error?: { code: string; message: string };
}

interface AnswerMessage {
  revision: number;
  strokes: string[];
  recognition: Recognition;
  alternatives: Candidate[];
  line?: number;
  lines?: LineMessage[];
}

export interface SocketOptions {
  token?: string | null;
}

export class SocketBackend extends EventTarget implements Backend {
  #socket: WebSocket | null = null;
  #known = NOTHING;
  #wanted = NOTHING;
  #attempts = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  #token: string | null;
  #lines = new Map<number, Line>(); // answers of lines by number, which come once
  #numbers = new WeakMap<Line, number>();
  #rendering: { latex: string; resolve: (forms: Forms) => void; reject: (error: Error) => void }[] = [];
  #explaining: { resolve: (found: Explanation) => void; revision: number }[] = [];
  #distrusted = false; // an answer did not fit; once more and it is left
  #closed = false;
  readonly place = "server";
  limits: { body_bytes?: number } = {};
  model = "";
  revision = 0;
  state: State = "connecting";

  constructor(private readonly base: string | URL = document.baseURI, { token = null }: SocketOptions = {}) {
    super();
    this.#token = token;
    this.#connect();
    addEventListener("online", this.#wakened);
    addEventListener("offline", this.#wakened);
    addEventListener("pageshow", this.#wakened);
  }

  // The device woke up, the network went or is back, or the page came out of the browser's cache: the old connection may be
  // dead without anyone knowing. Without a network the server may still be there, on this very device.
  #wakened = (event: Event): void => {
    if (event.type === "pageshow" && !(event as PageTransitionEvent).persisted) return;
    this.#retryNow();
  };

  close(): void {
    this.#closed = true;
    removeEventListener("online", this.#wakened);
    removeEventListener("offline", this.#wakened);
    removeEventListener("pageshow", this.#wakened);
    clearTimeout(this.#timer);
    clearTimeout(this.#watchdog);
    this.#socket?.close();
  }

  set token(token: string | null) {
    this.#token = token;
    this.#retryNow();
  }

  get token(): string | null {
    return this.#token;
  }

  #address(path: string): URL {
    return new URL(path, this.base);
  }

  get #authorization(): Record<string, string> {
    return this.#token ? { Authorization: `Bearer ${this.#token}` } : {};
  }

  #connect(): void {
    const address = this.#address("v1/session");
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    const socket = new WebSocket(address, ["inktex.v1", ...(this.#token ? [`bearer.${this.#token}`] : [])]);
    this.#socket = socket;
    this.#forget();
    socket.addEventListener("message", (event) => {
      if (this.#socket === socket) this.#receive(JSON.parse(String(event.data)));
    });
    socket.addEventListener("close", (event) => {
      if (this.#socket === socket) void this.#lost(event);
    });
  }

  #forget(): void {
    this.#known = NOTHING;
    this.#lines.clear();
  }

  #retryNow(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    clearTimeout(this.#watchdog);
    const old = this.#socket;
    this.#socket = null;
    old?.close();
    this.#attempts = 0;
    this.#become("connecting");
    this.#connect();
  }

  async #lost(event: CloseEvent): Promise<void> {
    if (this.#closed) return;
    this.#forget();
    clearTimeout(this.#watchdog);
    for (const { reject } of this.#rendering.splice(0)) reject(new Error("offline"));
    this.#become(event.code === 1013 ? "busy" : "offline");
    const socket = this.#socket;
    // A refused handshake does not say why; a plain request does.
    const refused = await this.#post("v1/render", { latex: "x" }).catch(() => null);
    if (this.#socket !== socket || this.#closed) return;
    if (refused?.status === 401) {
      this.#become("locked");
      return;
    }
    this.#timer = setTimeout(() => this.#connect(), PATIENCE[Math.min(this.#attempts++, PATIENCE.length - 1)]);
  }

  #post(path: string, body: object): Promise<Response> {
    const headers = { "Content-Type": "application/json", ...this.#authorization };
    return fetch(this.#address(path), { method: "POST", headers, body: JSON.stringify(body) });
  }

  #become(state: State): void {
    if (state === this.state) return;
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  #tell(type: "answer" | "problem" | "refused", detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a message of the protocol in docs/server.md
  #receive(message: any): void {
    clearTimeout(this.#watchdog);
    switch (message.type) {
      case "hello":
        this.#attempts = 0;
        this.limits = message.limits;
        this.model = message.model;
        this.#become("ready");
        this.#send();
        break;
      case "answer":
        this.#answered(message);
        break;
      case "empty":
        this.#lines.clear();
        if (message.revision === this.revision) this.#tell("answer", { revision: message.revision, lines: [] } satisfies Answer);
        break;
      case "rendered": {
        const place = this.#rendering.findIndex(({ latex }) => latex === message.source);
        const [asked] = place < 0 ? [] : this.#rendering.splice(place, 1);
        if (message.error) asked?.reject(new Error(message.error.replace(/^Not a formula yet: /, ""))); // each page says it in its language
        else asked?.resolve(message);
        break;
      }
      case "explanation":
        for (const { resolve, revision } of this.#explaining.splice(0)) if (revision === message.revision) resolve(message);
        break;
      case "error":
        this.#refused(message);
        break;
    }
  }

  #refused({ code, message }: { code: string; message: string }): void {
    // A pin that the recogniser cannot keep: what it has then is not what was wanted, so all is given anew without pins.
    if (code === "bad_message" && this.#known.pins.length) {
      this.#tell("refused", message);
      const strokes = this.#known.strokes;
      this.#known = { strokes: [...strokes], pins: [{ ids: [], latex: "" }] }; // differs from all that can be wanted
      this.#wanted = { ...this.#wanted, pins: [] };
      this.#send();
    } else if (code !== "not_kept") this.#tell("problem", message);
  }

  #answered(message: AnswerMessage): void {
    if (message.revision !== this.revision) return; // of older ink
    const believed = this.#known.strokes.map(({ id }) => id).join(" ");
    if (message.strokes.join(" ") !== believed && !this.#distrusted) {
      this.#distrusted = true;
      this.#retryNow();
      return;
    }
    this.#distrusted = false;
    this.#tell("answer", { revision: message.revision, lines: this.#linesOf(message) } satisfies Answer);
  }

  #linesOf(message: AnswerMessage): Line[] {
    if (!message.lines) {
      this.#lines.clear();
      const { strokes, recognition, alternatives } = message;
      const only = { strokes, recognition, alternatives };
      if (message.line !== undefined) this.#numbers.set(only, message.line);
      return [only];
    }
    const before = this.#lines;
    this.#lines = new Map();
    for (const { line, strokes, recognition, alternatives, error } of message.lines) {
      if (error) this.#tell("problem", error.message);
      const known = strokes && recognition ? { strokes, recognition, alternatives: alternatives ?? [] } : before.get(line);
      if (!known) continue;
      this.#lines.set(line, known);
      this.#numbers.set(known, line);
    }
    return [...this.#lines.values()];
  }

  sync(strokes: readonly Stroke[], pins: readonly Pin[]): void {
    this.#wanted = { strokes, pins };
    this.#send();
  }

  #send(): void {
    if (this.state !== "ready" || this.#socket?.readyState !== WebSocket.OPEN) return;
    const { clear, remove, replace, add, pin } = changes(this.#known, this.#wanted);
    const messages: object[] = [
      ...(clear ? [{ type: "clear" }] : []),
      ...(remove.length ? [{ type: "remove", ids: remove }] : []),
      ...replace.map(({ id, points }) => ({ type: "replace", id, points })),
      ...add.map(({ id, points }) => ({ type: "add", id, points })),
      ...pin.map(({ ids, latex }) => ({ type: "pin", ids, latex })),
    ];
    this.#known = this.#wanted;
    if (!messages.length) return;
    this.revision += 1;
    messages.forEach((message, i) => {
      this.#say(i === messages.length - 1 ? { ...message, revision: this.revision } : { ...message, more: true });
    });
    this.#watch();
  }

  #say(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #watch(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.#retryNow(), SILENCE);
  }

  render(latex: string): Promise<Forms> {
    if (this.state !== "ready") return Promise.reject(new Error("offline"));
    return new Promise((resolve, reject) => {
      this.#rendering.push({ latex, resolve, reject });
      this.#say({ type: "render", latex });
      this.#watch();
    });
  }

  async symbols(strokes: readonly Stroke[]): Promise<{ latex: string; probability: number }[]> {
    const response = await this.#post("v1/symbol", { strokes: strokes.map(({ points }) => points.map(([x, y]) => [x, y])) });
    if (!response.ok) throw new Error("offline");
    return (await response.json()).symbols;
  }

  explain(line?: Line): Promise<Explanation> {
    const number = line && this.#lines.size > 1 ? this.#numbers.get(line) : undefined;
    return new Promise((resolve) => {
      this.#explaining.push({ resolve, revision: this.revision });
      this.#say({ type: "explain", revision: this.revision, ...(number === undefined ? {} : { line: number }) });
    });
  }

  async readInk(file: File): Promise<InkFile[]> {
    const limit = this.limits.body_bytes ?? 512 * 1024;
    if (file.size > limit) throw new Error(`${file.name} is larger than ${Math.round(limit / 1024)} KB.`);
    const form = new FormData();
    form.append("file", file);
    const response = await fetch(this.#address("v1/ink"), { method: "POST", body: form, headers: this.#authorization }).catch(() => null);
    if (!response) throw new Error("offline");
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error.message);
    const inks = (answer.inks as { source: string; strokes?: number[][][]; error?: string }[]);
    const good = inks.flatMap(({ source, strokes }) => (strokes?.length ? [{ name: source, strokes }] : []));
    if (!good.length) throw new Error(inks.find(({ error }) => error)?.error ?? "no-ink");
    return good;
  }
}
