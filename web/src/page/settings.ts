/** Theme, language and pen, kept in this browser. */
import type { InktexPad } from "../pad/element";
import { LANGUAGES, Words } from "../pad/strings";
import { element, speech, translate } from "./dom";

interface Kept {
  theme?: "light" | "dark";
  language?: string;
  pen?: { colour?: string; width?: number };
}

const KEY = "inktex.settings";

function read(): Kept {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

function write(change: Kept): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...read(), ...change }));
  } catch {
    // Nothing is kept here; the page goes on with what was chosen.
  }
}

/** Begin with what was chosen before. */
export function beginSettings(pad: InktexPad, changed: () => void): void {
  const kept = read();
  const theme = element<HTMLSelectElement>("theme"), language = element<HTMLSelectElement>("language");

  function useTheme(name: string): void {
    if (name === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
    const dark = name === "dark" || (name === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
    document.querySelector('meta[name="theme-color"]')!.setAttribute("content", dark ? "#121419" : "#f3f1ea");
    pad.sheet.readColours();
  }

  function useLanguage(tag: string | undefined): void {
    speech.words = Words.of([tag, ...navigator.languages]);
    translate();
    pad.lang = speech.words.language;
    language.value = speech.words.language;
  }

  // Backgrounds are not printed: on white paper everything is as in the light theme.
  addEventListener("beforeprint", () => useTheme("light"));
  addEventListener("afterprint", () => useTheme(theme.value));

  for (const [tag, name] of Object.entries(LANGUAGES)) language.append(new Option(name, tag));
  theme.value = kept.theme ?? "auto";
  useTheme(theme.value);
  useLanguage(kept.language);
  pad.pointer.pen = kept.pen ?? {};
  pad.showPen();
  theme.addEventListener("change", () => {
    write({ theme: theme.value === "auto" ? undefined : (theme.value as "light" | "dark") });
    useTheme(theme.value);
  });
  language.addEventListener("change", () => {
    write({ language: language.value });
    useLanguage(language.value);
    changed();
  });
  pad.addEventListener("pen", () => write({ pen: pad.pointer.pen }));
}
