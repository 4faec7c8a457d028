/** Whichever is faster reads: the server, or the recogniser that is loaded from it. */
import assert from "node:assert/strict";
import { before, mock, test } from "node:test";
import type { Answer, Backend, Forms, Line, State } from "../src/pad/backend";
import { FasterBackend } from "../src/page/faster";

before(() => mock.timers.enable({ apis: ["setTimeout"] }));

/** The time in which a server may come back, or say that it is locked. */
function soon(): Promise<void> {
  mock.timers.tick(2100);
  return new Promise(setImmediate);
}

const INK = [{ id: "a", points: [[0, 0]] }] as unknown as Parameters<FasterBackend["sync"]>[0];

class Reader extends EventTarget implements Backend {
  revision = 0;
  state: State = "connecting";

  constructor(readonly place: "server" | "device") {
    super();
  }

  become(state: State): void {
    this.state = state;
    this.dispatchEvent(new Event("state"));
  }

  sync(): void {
    this.revision++;
  }

  answer(latex: string, lines = 1): void {
    const line = { strokes: [], recognition: { latex }, alternatives: [] } as unknown as Line;
    const detail: Answer = { revision: this.revision, lines: new Array(lines).fill(line) };
    this.dispatchEvent(Object.assign(new Event("answer"), { detail }));
  }

  render = (): Promise<Forms> => Promise.reject(new Error("not asked"));
  close(): void {}
}

function begun(): { faster: FasterBackend; server: Reader; device: Reader; shown: string[]; loads: () => number; wait: (ms: number) => void } {
  const [server, device] = [new Reader("server"), new Reader("device")];
  let [time, loads] = [0, 0];
  const load = (): Promise<Reader> => {
    loads++;
    return Promise.resolve(device);
  };
  const faster = new FasterBackend(server, load, () => time);
  const shown: string[] = [];
  faster.addEventListener("answer", (event) => {
    const { revision, lines } = (event as CustomEvent<Answer>).detail;
    assert.equal(revision, faster.revision); // or the desk would not take it
    shown.push(lines[0].recognition.latex);
  });
  server.become("ready");
  return { faster, server, device, shown, loads: () => loads, wait: (ms) => void (time += ms) };
}

test("a fast server is left alone", () => {
  const { faster, server, wait, loads, shown } = begun();
  for (let i = 0; i < 5; i++) {
    faster.sync([], []);
    wait(40);
    server.answer("x");
  }
  assert.equal(loads(), 0);
  assert.equal(shown.length, 5);
});

test("a slow server gives way to a faster device, and gets back what it is faster at", async () => {
  const { faster, server, device, shown, wait, loads } = begun();
  for (let i = 0; i < 2; i++) {
    faster.sync([], []);
    wait(3000);
    server.answer(`server ${i}`);
  }
  await new Promise(setImmediate);
  assert.equal(loads(), 1);
  wait(20_000); // loading takes its time, which says nothing about reading
  device.become("ready");
  wait(200);
  device.answer("device");
  assert.equal(faster.place, "device");
  assert.deepEqual(shown, ["server 0", "server 1", "device"]);

  for (let i = 0; i < 5; i++) {
    faster.sync([], []);
    wait(50);
    server.answer("quick");
    wait(150);
    device.answer("device");
  }
  assert.equal(faster.place, "server");
  assert.equal(shown.at(-1), "quick");
});

test("a device that is slower stays unused", async () => {
  const { faster, server, device, wait } = begun();
  for (let i = 0; i < 2; i++) {
    faster.sync([], []);
    wait(3000);
    server.answer("x");
  }
  await new Promise(setImmediate);
  device.become("ready");
  wait(2500);
  device.answer("y");
  assert.equal(faster.place, "server");
});

test("without room on the server the device reads, whatever it takes", async () => {
  const { faster, server, device, shown } = begun();
  faster.sync([], []);
  server.become("busy");
  await soon();
  device.become("ready");
  assert.equal(faster.place, "device");
  device.answer("device");
  assert.deepEqual(shown, ["device"]);
  server.become("ready");
  assert.equal(faster.place, "device"); // nothing says that the server is faster
});

test("where the server cannot be reached the device reads, as soon as it can be had", async () => {
  const [server, device] = [new Reader("server"), new Reader("device")];
  const answers: (Reader | Error)[] = [new Error("no network"), device];
  const faster = new FasterBackend(server, () => {
    const next = answers.shift()!;
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  });
  server.become("ready");
  faster.sync(INK, []);
  server.become("offline");
  await soon();
  assert.equal(faster.place, "server");
  server.become("connecting");
  server.become("offline");
  await soon();
  device.become("ready");
  assert.equal(faster.place, "device");
  server.become("connecting");
  assert.equal(faster.place, "device"); // it goes on reading
});

test("a server that says nothing gives way until it speaks", async () => {
  const { faster, server, device, shown, loads } = begun();
  mock.timers.tick(10_000);
  assert.equal(loads(), 0); // nothing was written
  faster.sync(INK, []);
  mock.timers.tick(3900);
  assert.equal(loads(), 0);
  mock.timers.tick(200);
  await new Promise(setImmediate);
  assert.equal(loads(), 1);
  device.become("ready");
  device.answer("device");
  assert.deepEqual([faster.place, shown], ["device", ["device"]]);
  const { server: fresh, faster: other, loads: none } = begun();
  other.sync(INK, []);
  fresh.dispatchEvent(new Event("problem")); // it cannot read this ink, and said so
  mock.timers.tick(10_000);
  assert.equal(none(), 0);
  server.answer("x");
});

test("several lines are read by the faster one, too", async () => {
  const { faster, server, device, wait } = begun();
  for (let i = 0; i < 2; i++) {
    faster.sync([], []);
    wait(3000);
    server.answer("x", 2);
  }
  await new Promise(setImmediate);
  device.become("ready");
  wait(100);
  device.answer("y", 2);
  assert.equal(faster.place, "device");
});
