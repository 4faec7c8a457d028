// Select ink that was drawn by hand, press the button: its LaTeX stands below it, and is copied.
import { CaptureUpdateAction, convertToExcalidrawElements, Excalidraw } from "@excalidraw/excalidraw";
import "@excalidraw/excalidraw/index.css";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { Recognizer } from "../inktex/dist/index.js"; // with a bundler such as Vite: from "inktex"
import { strokesOf } from "./strokes.js";

const recognizer = Recognizer.load("model.inktex");

async function read(excalidraw) {
  const { selectedElementIds } = excalidraw.getAppState();
  const strokes = strokesOf(excalidraw.getSceneElements().filter(({ id }) => selectedElementIds[id]));
  if (!strokes.length) throw new Error("Select what you wrote with the pencil first.");
  const { latex } = await (await recognizer).recognize(strokes);
  await document.fonts.load("20px Cascadia").catch(() => {}); // or the text is measured with another font
  const left = Math.min(...strokes.flat().map(([x]) => x)), bottom = Math.max(...strokes.flat().map(([, y]) => y));
  const [text] = convertToExcalidrawElements([
    { type: "text", x: left, y: bottom + 16, text: latex, fontFamily: 3, customData: { inktex: true } },
  ]);
  excalidraw.updateScene({
    elements: [...excalidraw.getSceneElementsIncludingDeleted(), text],
    captureUpdate: CaptureUpdateAction.IMMEDIATELY, // one step of undo
  });
  await navigator.clipboard?.writeText(latex).catch(() => {});
  return latex;
}

function Drawing() {
  const [excalidraw, setExcalidraw] = useState(null);
  const [busy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    const message = await read(excalidraw).catch((error) => error.message);
    setBusy(false);
    excalidraw.setToast({ message });
  };
  return (
    <Excalidraw
      handleKeyboardGlobally
      excalidrawAPI={(api) => setExcalidraw((globalThis.excalidraw = api))}
      renderTopRightUI={() => (
        <button type="button" id="read" className="help-icon" style={{ width: "auto", padding: "0 1em", whiteSpace: "nowrap" }} disabled={busy || !excalidraw} onClick={press}>
          {busy ? "Reading…" : "Ink to LaTeX"}
        </button>
      )}
    />
  );
}

createRoot(document.querySelector("#drawing")).render(<Drawing />);
