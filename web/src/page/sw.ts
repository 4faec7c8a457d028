/**
 * The service worker: once loaded, the page works without a network. All files of the page are kept under one version; a new
 * version is fetched as a whole and takes the old one's place when the page is opened next. Large files (a model, the runtime)
 * are kept by their hash, so that a new version of the page fetches only what changed. What asks the server (the API, the live
 * session) is never kept.
 */

/** The first line of the built file: a hash of the files, their names, and SHA-256 of large ones by name. */
declare const KEPT: { version: string; files: string[]; large: Record<string, string> };

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const SCOPE = new URL(worker.registration.scope).pathname; // several pages may share an origin, and with it all caches
const PAGE = `inktex ${SCOPE} ${KEPT.version}`;
const LARGE = `inktex ${SCOPE} large`;
/** What a server's page needs to read by itself: kept when it is first fetched. */
const ON_USE = /^(?:js\/.*|device\/.*\.inktex)$/;
/** Only pictures of formulas need these: fetched when the page works already. */
const LATER = ["glyphs.json"];

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => {
  event.waitUntil(tidy().then(() => worker.clients.claim()));
  void caches.open(PAGE).then((cache) => cache.addAll(LATER.map(fresh))).catch(() => {}); // else when they are used
});
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== location.origin || !address.pathname.startsWith(SCOPE)) return;
  const path = address.pathname.slice(SCOPE.length) || "./";
  if (path === "index.html" || KEPT.files.includes(path)) event.respondWith(kept(path));
  else if (path in KEPT.large) event.respondWith(keptLarge(path, request));
  else if (ON_USE.test(path)) event.respondWith(keptOnUse(request));
  else if (path === "device.json") event.respondWith(newest(request));
});

/** The browser's own cache may hold files of the version before. */
const fresh = (name: string): Request => new Request(name, { cache: "no-cache" });

async function install(): Promise<void> {
  const page = await caches.open(PAGE);
  await page.addAll(KEPT.files.filter((name) => !LATER.includes(name)).map(fresh));
  const large = await caches.open(LARGE);
  for (const [name, digest] of Object.entries(KEPT.large)) {
    const key = keyOf(name);
    if (!(await large.match(key))) await large.put(key, await checked(name, digest));
  }
  await worker.skipWaiting();
}

/** A large file, only if it is the one that belongs to this version. */
async function checked(name: string, digest: string): Promise<Response> {
  const response = await fetch(name, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  const content = await response.arrayBuffer();
  const found = Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", content)), (byte) => byte.toString(16).padStart(2, "0"));
  if (found.join("") !== digest) throw new Error(`${name} is not the file of this version (its SHA-256 differs)`);
  return new Response(content, { headers: { "Content-Type": name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream" } });
}

const keyOf = (name: string): string => `${name}?sha256=${KEPT.large[name]}`;

/** Throw away what belongs to versions before this one. */
async function tidy(): Promise<void> {
  for (const name of await caches.keys()) if (name.startsWith(`inktex ${SCOPE} `) && name !== PAGE && name !== LARGE) await caches.delete(name);
  const large = await caches.open(LARGE);
  const wanted = Object.keys(KEPT.large).map((name) => new URL(keyOf(name), worker.registration.scope).href);
  for (const request of await large.keys()) if (!wanted.includes(request.url)) await large.delete(request);
}

async function kept(path: string): Promise<Response> {
  const cache = await caches.open(PAGE);
  const name = path === "index.html" ? "./" : path;
  return (await cache.match(name)) ?? fetch(name);
}

async function keptLarge(name: string, request: Request): Promise<Response> {
  const cache = await caches.open(LARGE);
  return (await cache.match(keyOf(name))) ?? fetch(request);
}

async function keptOnUse(request: Request): Promise<Response> {
  const cache = await caches.open(PAGE);
  const found = await cache.match(request);
  if (found) return found;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** Which model the server reads with: as it says, or as it last said, once that model is kept. Others are not kept any longer. */
async function newest(request: Request): Promise<Response> {
  const cache = await caches.open(PAGE);
  const response = await fetch(request).catch(() => null);
  if (!response) return (await cache.match(request)) ?? Response.error();
  if (!response.ok) return response;
  const { file } = (await response.clone().json()) as { file: string };
  const wanted = new URL(file, worker.registration.scope).href;
  if (await cache.match(wanted)) await cache.put(request, response.clone());
  for (const { url } of await cache.keys()) if (/\/device\/[^/]*$/.test(url) && url !== wanted) await cache.delete(url);
  return response;
}

export {};
