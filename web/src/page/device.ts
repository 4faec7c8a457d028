/** The recogniser of this device, which comes from the server, and stays in the browser for when the server is away. */
import { LocalBackend } from "../pad/local";

const RUNTIME = ["js/worker.js", "js/ort-wasm-simd-threaded.wasm"];
const CALM = 5000; // ms of a working page, after which there is time to fetch it

/** The recogniser for this device, if the server gives its model away. */
export async function loadDevice(): Promise<LocalBackend | null> {
  const response = await fetch(new URL("device.json", document.baseURI));
  if (!response.ok) return null;
  const { model: name, file } = await response.json();
  return new LocalBackend(new URL(file, document.baseURI), { name });
}

/** Fetch it in time: the service worker keeps it. Nobody pays for the 11 MB who asked to save data or is on a mobile network. */
export async function keepDevice(): Promise<void> {
  const { connection } = navigator as { connection?: { saveData?: boolean; type?: string } };
  if (!navigator.serviceWorker || connection?.saveData || connection?.type === "cellular") return;
  await navigator.serviceWorker.ready;
  await new Promise((resolve) => setTimeout(resolve, CALM));
  if (!navigator.serviceWorker.controller) return; // nobody would keep it
  const response = await fetch(new URL("device.json", document.baseURI));
  if (!response.ok) return;
  const { file } = await response.json();
  for (const path of [...RUNTIME, file]) await (await fetch(new URL(path, document.baseURI))).arrayBuffer();
}
