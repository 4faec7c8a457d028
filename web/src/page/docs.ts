/** The API page: the OpenAPI description in, readable sections with examples to try out. */

/** A part of an OpenAPI description. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a schema may hold anything
type Schema = any;

const main = document.getElementById("operations")!;
const field = document.getElementById("token") as HTMLInputElement;

function make(tag: string, properties: Record<string, unknown> = {}, ...children: (Node | string)[]): HTMLElement {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

let description: Schema;

/** A sentence of the description: what stands in backticks is code. */
const worded = (text: string): (Node | string)[] =>
  text.split("`").map((part, i) => (i % 2 ? make("code", { textContent: part }) : part));

const resolved = (schema: Schema): Schema =>
  schema?.$ref ? description.components.schemas[schema.$ref.split("/").pop()] : schema ?? {};

function typeOf(schema: Schema): string {
  const known = resolved(schema);
  if (known.anyOf) return known.anyOf.map(typeOf).filter((type: string) => type !== "null").join(" or ");
  if (known.type === "array") return `list of ${typeOf(known.items)}`;
  if (schema?.$ref) return schema.$ref.split("/").pop();
  return known.format === "binary" || known.contentMediaType ? "file" : known.type ?? "anything";
}

function fields(schema: Schema): HTMLElement[] {
  const known = resolved(schema);
  const rows = Object.entries<Schema>(known.properties ?? {}).map(([name, property]) => {
    const inner = resolved(property);
    const wanted = known.required?.includes(name) ? "" : " (optional)";
    const words = property.description ?? inner.description ?? "";
    return make("tr", {}, make("td", {}, make("code", { textContent: name })), make("td", {}, ...worded(`${typeOf(property)}${wanted}${words ? ` – ${words}` : ""}`)));
  });
  if (!rows.length) return [];
  const head = make("thead", {}, make("tr", {}, make("th", { scope: "col", textContent: "Field" }), make("th", { scope: "col", textContent: "What" })));
  return [make("table", {}, head, make("tbody", {}, ...rows))];
}

function curl(method: string, path: string, type: string, example: unknown): string {
  const address = new URL(path.slice(1), location.href);
  if (method === "get") return `curl ${address}`;
  if (type === "multipart/form-data") return `curl -F file=@note.inkml ${address}`;
  return `curl ${address} -H 'Content-Type: application/json' -d '${JSON.stringify(example)}'`;
}

function tryButton(method: string, path: string, example: unknown): HTMLElement[] {
  const output = make("pre", { hidden: true, tabIndex: 0 });
  const button = make("button", { type: "button", className: "quiet bordered", textContent: "Try it" });
  button.addEventListener("click", async () => {
    const headers: Record<string, string> = field.value ? { Authorization: `Bearer ${field.value}` } : {};
    if (example) headers["Content-Type"] = "application/json";
    const response = await fetch(path.slice(1), { method: method.toUpperCase(), headers, body: example ? JSON.stringify(example) : undefined });
    if (response.status === 401) document.getElementById("auth")!.hidden = false;
    const text = await response.text();
    let shown = text;
    try {
      shown = JSON.stringify(JSON.parse(text), null, 1).replace(/\n\s+(?=[-\d.]+,?\n)/g, " ").replace(/(\d)\n\s+\]/g, "$1]");
    } catch {
      // Not JSON: shown as it is.
    }
    output.textContent = `${response.status} ${response.statusText}\n${shown}`;
    output.hidden = false;
  });
  return [button, output];
}

function section(path: string, method: string, operation: Schema): HTMLElement {
  const [type, body] = Object.entries<Schema>(operation.requestBody?.content ?? {})[0] ?? ([] as unknown as [string, Schema]);
  const example = resolved(body?.schema).examples?.[0];
  const good = operation.responses["200"]?.content?.["application/json"]?.schema;
  const errors = Object.entries<Schema>(operation.responses).filter(([status]) => status !== "200");
  const heading = make("h2", {}, make("span", { className: `method ${method}`, textContent: method.toUpperCase() }), path);
  const parts = [heading, make("p", {}, ...worded(operation.description ?? operation.summary))];
  parts.push(make("pre", { tabIndex: 0, textContent: curl(method, path, type, example) }));
  if (body) parts.push(make("h3", { textContent: `Request: ${type}` }), ...fields(body.schema), ...nested(body.schema));
  if (good?.$ref) parts.push(make("h3", { textContent: `Answer: ${typeOf(good)}` }), ...fields(good));
  if (errors.length > 1) {
    parts.push(make("h3", { textContent: "Errors" }), make("p", { className: "hint", textContent: errors.map(([status, { description: words }]) => `${status} ${words}`).join(" · ") }));
  }
  if (method === "get" || example) parts.push(...tryButton(method, path, example));
  return make("section", { className: "operation" }, ...parts);
}

/** The fields of objects inside a request, such as its options. */
function nested(schema: Schema): HTMLElement[] {
  return Object.entries<Schema>(resolved(schema).properties ?? {}).flatMap(([name, property]) =>
    property.$ref ? [make("h3", { textContent: name }), ...fields(property)] : [],
  );
}

const response = await fetch("openapi.json");
description = await response.json();
main.replaceChildren(
  ...Object.entries<Schema>(description.paths).flatMap(([path, operations]) =>
    Object.entries<Schema>(operations).map(([method, operation]) => section(path, method, operation)),
  ),
);

export {};
