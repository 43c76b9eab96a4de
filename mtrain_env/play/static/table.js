// The rows of the table: the Mexican train first, then each player's.

import { button, el } from "./dom.js";
import { drawIcon, drawSpecial, drawTile, locomotive } from "./tiles.js";

const drawn = new Map(); // drawings of the tiles on the table, by what they show
let turned = new Map(); // how often each tile on the table was twisted when it was shown before
let seen = null; // number of the newest tile that was shown before; null: nothing was, so nothing is new
let round = null;

const DOUBLES = {
  must: ["must be covered", "waiting"],
  waiting: ["waits to be covered", "waiting"],
  asleep: ["sleeps until everybody has had a turn", "asleep"],
  open: ["", ""],
};

function tileOnTrain(tile, last, state) {
  const wild = tile.in === "wild";
  const double = wild || tile.in === tile.out;
  const key = `${tile.n}:${tile.in}:${tile.out}:${tile.turns}`;
  let node = drawn.get(key);
  if (!node) {
    node = el("span", { "data-n": tile.n, role: "img" },
      wild ? drawSpecial("wild") : drawTile(tile.in, tile.out, !double));
    if (tile.turns) node.prepend(el("span", { class: "turned", title: "Twisted" }, drawIcon("twist")));
    drawn.set(key, node);
  }
  const name = wild ? "Wild" : `${tile.in}-${tile.out}`;
  const [words, mark] = (last && DOUBLES[state]) || ["", ""];
  const fresh = seen !== null && tile.n > seen;
  const twisting = seen !== null && !fresh && (turned.get(tile.n) ?? 0) !== tile.turns;
  node.className = ["piece", double ? "crosswise" : "", mark, fresh ? "fresh" : "", twisting ? "twisting" : ""].filter(Boolean).join(" ");
  node.setAttribute("aria-label", [name, double && !wild ? "double" : "", tile.turns ? "twisted" : "", words].filter(Boolean).join(", "));
  return node;
}

function track(train, view) {
  const tiles = train.tiles;
  const pieces = tiles.map((tile, i) => tileOnTrain(tile, i === tiles.length - 1, train.double));
  const start = el("span", { class: "start", title: "Opening double" }, view.opening === null ? "" : String(view.opening));
  const end = el("span", { class: "end", "data-end": train.end, "aria-label": `end ${train.end}` }, train.end === "any" ? "★" : String(train.end));
  const extra = [];
  if (train.blocker) extra.push(el("span", { class: "blocker", role: "img", "aria-label": `blocked by ${train.blocker}` }, drawIcon(train.blocker), el("span", {}, train.blocker)));
  if (train.double === "must" || train.double === "waiting") extra.push(el("span", { class: "mark" }, "cover!"));
  return el("div", { class: "track" }, start, ...pieces, end, ...extra, el("i", { class: "rest" }));
}

function row(train, view, seats, tap) {
  const mexican = train.train === seats.length;
  const player = mexican ? null : view.players[train.train];
  const seat = mexican ? null : seats[train.train];
  const classes = ["row", train.open ? "open" : "", mexican ? "mexican" : "", train.closed ? "closed" : "",
    !mexican && view.turn === train.train ? "turn" : "", seat?.mine ? "mine" : "", train.blocker ? "blocked" : ""];
  const words = [];
  if (player) words.push(`${player.tiles} ${player.tiles === 1 ? "tile" : "tiles"}`);
  if (mexican) words.push(train.closed ? "not open yet" : "open to all");
  const about = el("div", { class: "who" },
    el("span", { class: "name", title: train.name }, train.name),
    el("span", { class: player?.tiles === 1 ? "meta last" : "meta" }, words.join(", ")),
    train.open ? el("span", { class: "open-mark" }, locomotive(), el("span", { class: "open-word" }, "open")) : null);
  const label = mexican ? "Mexican train" : `Train of ${train.name}${train.open ? ", open" : ""}${view.turn === train.train ? ", to play" : ""}`;
  const node = el("li", { class: classes.filter(Boolean).join(" "), "data-train": train.train, "aria-label": label }, about, track(train, view));
  const choice = tap?.(train.train);
  if (choice) {
    node.classList.add("target");
    node.append(button("", choice.go, { class: "cover-row", tabindex: -1, "aria-label": choice.label }));
  }
  return node;
}

// Where every tile is now, so that what a Derail moves can be seen moving.
function places(rows) {
  const found = new Map();
  for (const piece of rows.querySelectorAll(".piece")) {
    const box = piece.getBoundingClientRect();
    found.set(piece.dataset.n, { top: box.top, row: piece.closest(".row").dataset.train });
  }
  return found;
}

function move(rows, before) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const piece of rows.querySelectorAll(".piece")) {
    const was = before.get(piece.dataset.n);
    if (!was || was.row === piece.closest(".row").dataset.train) continue;
    const by = was.top - piece.getBoundingClientRect().top;
    piece.animate([{ transform: `translateY(${by}px)`, zIndex: 3 }, { transform: "none", zIndex: 3 }], { duration: 700, easing: "ease-in-out" });
  }
}

// Draws the table. `tap(train)` gives what choosing that row does now, if anything.
export function renderTable(rows, view, seats, tap) {
  const present = `${view.round}/${view.phase === "choosing"}`;
  if (round !== present) {
    seen = round === null ? null : 0;
    round = present;
    drawn.clear();
    turned.clear();
  }
  const newest = Math.max(-1, ...view.trains.flatMap((train) => train.tiles.map((tile) => tile.n)));
  const before = places(rows);
  const trains = view.phase === "choosing" ? [] : view.trains;
  rows.replaceChildren(...trains.map((train) => row(train, view, seats, tap)));
  rows.className = view.trains.length > 10 ? "rows many" : view.trains.length > 6 ? "rows some" : "rows";
  rows.dataset.direction = view.direction;
  move(rows, before);
  seen = newest;
  turned = new Map(view.trains.flatMap((train) => train.tiles.map((tile) => [tile.n, tile.turns])));
}

export function forgetTable() {
  round = null;
}
