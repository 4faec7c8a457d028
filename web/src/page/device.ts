/** The recogniser of this device, which comes from the server, and stays in the browser for when the server is away. */
import { LocalBackend } from "../pad/local";

const RUNTIME = ["js/worker.js", "js/ort-wasm-simd-threaded.wasm"];
const CALM = 5000; // ms of a working page, after which there is time to fetch it

/** The recogniser for this device; null if the server does not give its model away. */
export async function loadDevice(): Promise<LocalBackend | null> {
  const described = await describe();
  return described && new LocalBackend(new URL(described.file, document.baseURI), { name: described.model });
}

async function describe(): Promise<{ model: string; file: string } | null> {
  const response = await fetch(new URL("device.json", document.baseURI));
  return response.ok ? response.json() : null;
}

/** Fetch it in time: the service worker keeps it. Nobody pays for the 11 MB who asked to save data or is on a mobile network. */
export async function keepDevice(): Promise<void> {
  const { connection } = navigator as { connection?: { saveData?: boolean; type?: string } };
  if (!navigator.serviceWorker || connection?.saveData || connection?.type === "cellular") return;
  await navigator.serviceWorker.ready;
  await new Promise((resolve) => setTimeout(resolve, CALM));
  if (!navigator.serviceWorker.controller) return; // nobody would keep it
  const described = await describe();
  if (!described) return;
  // The model comes last: where it is kept, all is.
  for (const path of [...RUNTIME, described.file]) await (await fetch(new URL(path, document.baseURI))).arrayBuffer();
  await describe();
}
