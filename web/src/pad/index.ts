/** `import "inktex/pad"` defines `<inktex-pad>`. */
export type { Answer, Backend, Candidate, Forms, Line, State } from "./backend";
export type { Reading } from "./desk";
export { InktexPad } from "./element";
export { LocalBackend } from "./local";
export { SocketBackend } from "./socket";
