/** Line drawings for the tools. */

const LINES: Record<string, string> = {
  pen: "M4 20l1.2-4.6L16.6 4a1.8 1.8 0 0 1 2.6 0l.8.8a1.8 1.8 0 0 1 0 2.6L8.6 18.8 4 20zM14.5 6.1l3.4 3.4",
  eraser: "M8.500 19.500l-4.400-4.400a1.800 1.800 0 0 1 0-2.600l8.400-8.400a1.800 1.800 0 0 1 2.600 0l4.800 4.800a1.800 1.800 0 0 1 0 2.600l-8 8H8.500zM8.200 8.400l7.400 7.400M12 19.500h8",
  select: "M9 16.8C5.6 15.9 3.5 13.5 3.5 10.6 3.5 6.7 7.3 3.6 12 3.6s8.5 3.1 8.5 7c0 1-.2 1.9-.7 2.7M12.2 11.4l2.3 9 1.9-3.4 3.8-.8z",
  hand: "M12 3v18M3 12h18M12 3L9.4 5.6M12 3l2.6 2.6M12 21l-2.6-2.6M12 21l2.6-2.6M3 12l2.6-2.6M3 12l2.6 2.6M21 12l-2.6-2.6M21 12l-2.6 2.6",
  undo: "M8.5 5L4 9.5 8.5 14M4.5 9.5H14a5.5 5.5 0 0 1 0 11h-3",
  redo: "M15.5 5L20 9.5 15.5 14M19.5 9.5H10a5.5 5.5 0 0 0 0 11h3",
  new: "M13.5 3.5H7A1.5 1.5 0 0 0 5.5 5v14A1.5 1.5 0 0 0 7 20.5h10a1.5 1.5 0 0 0 1.5-1.5V8.5zM13.5 3.5v5h5M12 12v5M9.5 14.5h5",
  plus: "M12 6v12M6 12h12",
  minus: "M6 12h12",
  copy: "M10.500 8.500h7.500a2 2 0 0 1 2 2v7.500a2 2 0 0 1-2 2h-7.500a2 2 0 0 1-2-2v-7.500a2 2 0 0 1 2-2zM15.5 8.5V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v7.5a2 2 0 0 0 2 2h2.5",
  redraw: "M4 20l1.200-4.600L13.600 7l3.400 3.400L8.600 18.800 4 20zM14 20h6M15 4.500h5v5M20 4.500l-4.500 4.500",
};

/** An icon as an element. */
export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const attributes = {
    viewBox: "0 0 24 24", class: "icon", fill: "none", stroke: "currentColor", "stroke-width": "1.8",
    "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true",
  };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", LINES[name]);
  svg.append(path);
  return svg;
}
