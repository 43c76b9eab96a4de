// Drawings: tiles with real pips up to 18 (figures at small sizes, by CSS), special tiles and the locomotive.

import { svg } from "./dom.js";

const COLOURS = ["6e6e6e", "1773c4", "358039", "da201c", "87695f", "3949ab", "9f6404", "8e24aa", "007f72", "d91658",
  "a95e00", "007a89", "546e7a", "6d4c41", "4c7c2a", "74741b", "5e35b1", "d81b60", "0274b8"];

// Three columns of pips: [left and right, middle].
const COLUMNS = (n) => {
  if (n <= 1) return [0, n];
  if (n <= 3) return [1, n - 2];
  if (n <= 5) return [2, n - 4];
  if (n <= 9) return [3, n - 6];
  if (n <= 12) return [4, n - 8];
  return n <= 15 ? [5, n - 10] : [6, n - 12];
};

const spread = (count, rows) => {
  if (count === 1) return [50];
  if (count === 2 && rows === 3) return [33, 67];
  const margin = rows > 4 ? 13 : 21;
  return Array.from({ length: count }, (_, i) => margin + (i * (100 - 2 * margin)) / (count - 1));
};

function pips(n) {
  const [side, middle] = COLUMNS(n);
  const rows = Math.max(side, middle, n > 1 ? 2 : 1);
  const radius = rows <= 3 ? 9 : rows === 4 ? 8.2 : rows === 5 ? 7.2 : 6.4;
  let places;
  if (side === 1) places = [[23, 23], [77, 77]];
  else places = spread(side, rows).flatMap((y) => [[22, y], [78, y]]);
  // The middle column of an even number stands between the rows of the sides.
  places.push(...(middle === 2 && rows === 3 ? [[50, 22], [50, 78]] : spread(middle, rows).map((y) => [50, y])));
  return places.map(([x, y]) => svg("circle", { cx: x, cy: y, r: radius }));
}

// One half of a tile in a square of 100, turned by a quarter where the tile lies.
function half(n, x, y, lying) {
  const colour = `#${COLOURS[n]}`;
  return svg("g", { transform: `translate(${x} ${y})`, fill: colour },
    svg("g", { class: "pips", transform: lying ? "rotate(90 50 50)" : null }, ...pips(n)),
    svg("text", { class: "figure", x: 50, y: 52, "text-anchor": "middle", "dominant-baseline": "central" }, String(n)));
}

const body = (w, h) => [
  svg("rect", { class: "under", x: 2, y: 5, width: w - 4, height: h - 6, rx: 15 }),
  svg("rect", { class: "face", x: 2, y: 2, width: w - 4, height: h - 8, rx: 15 }),
];

// A numbered tile: `first` is above (standing) or left (lying).
export function drawTile(first, second, lying = false) {
  const [w, h] = lying ? [200, 100] : [100, 200];
  const line = lying ? { x1: 100, y1: 14, x2: 100, y2: 84 } : { x1: 14, y1: 98, x2: 86, y2: 98 };
  return svg("svg", { class: "tile", viewBox: `0 0 ${w} ${h}`, "aria-hidden": "true", focusable: "false" },
    ...body(w, h), svg("line", { class: "middle", ...line }), svg("circle", { class: "pin", cx: w / 2, cy: lying ? 49 : 98, r: 4.5 }),
    half(first, 0, lying ? -2 : 0, lying), half(second, lying ? 100 : 0, lying ? -2 : 96, lying));
}

const ICONS = {
  draw: "M30 22h40v30H30zM36 16h40v30M50 60v24M38 74l12 12 12-12",
  trade: "M20 38h52M58 22l16 16-16 16M80 66H28M42 50 26 66l16 16",
  skip: "M50 18a32 32 0 1 0 .01 0M28 28l44 44",
  reverse: "M72 30H40a20 20 0 0 0 0 42h34M58 16l14 14-14 14",
  twist: "M76 50a26 26 0 1 1-10-20M68 12v20H48",
  wild: "M50 14l11 25 27 3-20 18 6 27-24-14-24 14 6-27-20-18 27-3z",
  derail: "M24 36 68 18l11 28-44 18zM40 68a7 7 0 1 0 .01 0M84 50a7 7 0 1 0 .01 0M6 88h30M64 88h30M22 78v20M78 78v20",
};

const NAMES = { draw: "Draw", trade: "Trade", skip: "Skip", reverse: "Reverse", twist: "Twist", wild: "Wild", derail: "Derail" };

export function drawSpecial(kind) {
  return svg("svg", { class: `tile special ${kind}`, viewBox: "0 0 100 200", "aria-hidden": "true", focusable: "false" },
    ...body(100, 200), svg("rect", { class: "band", x: 8, y: 132, width: 84, height: 40, rx: 8 }),
    svg("g", { class: "icon", transform: "translate(8 34) scale(.84)" }, svg("path", { d: ICONS[kind] })),
    svg("text", { class: "word", x: 50, y: 153, "text-anchor": "middle", "dominant-baseline": "central" }, NAMES[kind]));
}

export const drawIcon = (kind) =>
  svg("svg", { class: "icon", viewBox: "0 0 100 100", "aria-hidden": "true" }, svg("path", { d: ICONS[kind] }));

// The text of a tile (`3-12`, `skip`) as a standing drawing, and as words.
export function drawText(text) {
  if (text in NAMES) return drawSpecial(text);
  const [low, high] = text.split("-").map(Number);
  return drawTile(low, high);
}

export const nameOf = (text) => NAMES[text] ?? text;

export function locomotive() {
  return svg("svg", { class: "loco", viewBox: "0 0 64 44", role: "img", "aria-label": "open train" },
    svg("path", { class: "steel", d: "M6 8h18v6h20V6h8v8h4a6 6 0 0 1 6 6v12H4V14h2z" }),
    svg("path", { class: "window", d: "M10 13h9v9h-9z" }),
    svg("path", { class: "smoke", d: "M44 3h8" }),
    svg("path", { class: "cow", d: "M56 32h6l-3 6h-6z" }),
    ...[14, 30, 46].map((x) => svg("circle", { class: "wheel", cx: x, cy: 36, r: 6.5 })));
}
