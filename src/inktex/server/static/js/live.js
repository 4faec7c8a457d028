// The line to the server: the ink of the page goes out stroke by stroke, answers come in, the newest wins.
//
// The server keeps the strokes of a connection. What it knows is remembered here, so that only differences
// are sent; after a lost connection everything is sent again.

const PATIENCE = [300, 700, 1500, 3000, 5000]; // ms between attempts to connect

export class Live extends EventTarget {
  #socket = null;
  #known = []; // the strokes the server has, in its order
  #attempts = 0;
  #token;
  revision = 0;
  state = "connecting";

  constructor(token) {
    super();
    this.#token = token;
    this.#connect();
    addEventListener("online", () => this.#retryNow());
  }

  set token(token) {
    this.#token = token;
    this.#retryNow();
  }

  get token() {
    return this.#token;
  }

  #connect() {
    const address = new URL("v1/session", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    const socket = new WebSocket(address, ["inktex.v1", ...(this.#token ? [`bearer.${this.#token}`] : [])]);
    this.#socket = socket;
    socket.addEventListener("message", (event) => this.#receive(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      if (this.#socket === socket) this.#lost(event);
    });
  }

  #retryNow() {
    clearTimeout(this.timer);
    const old = this.#socket;
    this.#socket = null;
    old?.close();
    this.#attempts = 0;
    this.#connect();
  }

  async #lost(event) {
    this.#known = [];
    this.#state(event.code === 1013 ? "busy" : "offline");
    // A refused handshake does not say why; a plain request does.
    const refused = await fetch("v1/render", {
      method: "POST",
      headers: { "Content-Type": "application/json", ...authorization(this.#token) },
      body: '{"latex":"x"}',
    }).catch(() => null);
    if (refused?.status === 401) {
      this.#state("locked");
      return;
    }
    this.timer = setTimeout(() => this.#connect(), PATIENCE[Math.min(this.#attempts++, PATIENCE.length - 1)]);
  }

  #state(state) {
    if (state === this.state) return;
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  #receive(message) {
    if (message.type === "hello") {
      this.#attempts = 0;
      this.limits = message.limits;
      this.model = message.model;
      this.#state("ready");
      this.dispatchEvent(new Event("ready"));
    } else this.dispatchEvent(new CustomEvent(message.type, { detail: message }));
  }

  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Make the server's strokes those of the page; says whether there was anything to change. */
  sync(strokes) {
    if (this.state !== "ready") return;
    const messages = difference(this.#known, strokes);
    if (!messages.length) return;
    this.revision += 1;
    messages.forEach((message, i) => {
      this.#send(i === messages.length - 1 ? { ...message, revision: this.revision } : { ...message, more: true });
    });
    this.#known = strokes;
  }

  /** Tell that a person decided for this LaTeX. */
  choose(latex) {
    this.#send({ type: "choose", latex });
  }

  /** Ask how LaTeX looks; says whether anyone was there to ask. */
  render(latex) {
    this.#send({ type: "render", latex });
    return this.state === "ready";
  }

  /** Ask where the network looked. */
  explain() {
    this.#send({ type: "explain", revision: this.revision });
  }
}

export const authorization = (token) => (token ? { Authorization: `Bearer ${token}` } : {});

const asAdded = ({ id, points }) => ({ type: "add", id, points });

/** The messages that turn the strokes `before` into the strokes `after`. */
export function difference(before, after) {
  const known = new Map(before.map((stroke) => [stroke.id, stroke]));
  const wanted = new Set(after.map(({ id }) => id));
  const kept = before.filter(({ id }) => wanted.has(id));
  // New strokes go to the end; where the order would be another, all is written anew.
  const inOrder = kept.every(({ id }, i) => after[i]?.id === id);
  if (!inOrder || !after.length) {
    return [...(before.length ? [{ type: "clear" }] : []), ...after.map(asAdded)];
  }
  const removed = before.filter(({ id }) => !wanted.has(id)).map(({ id }) => id);
  const replaced = after.filter((stroke) => known.has(stroke.id) && known.get(stroke.id) !== stroke);
  return [
    ...(removed.length ? [{ type: "remove", ids: removed }] : []),
    ...replaced.map(({ id, points }) => ({ type: "replace", id, points })),
    ...after.slice(kept.length).map(asAdded),
  ];
}
