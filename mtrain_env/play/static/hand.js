// The own hand and the moves. The page knows no rules: each move is a path of choices, and this walks along them.

import { $, button, el, show } from "./dom.js";
import { drawText, nameOf } from "./tiles.js";

const QUESTIONS = { train: "Choose the train", seat: "Choose the player", hand: "Choose the tile to give", number: "Choose" };
const BUTTONS = [["draw", "Draw a tile", "D"], ["pass", "Pass", "P"], ["stop", "Stop", "S"]];

let view = null;
let send = () => {};
let redraw = () => {};
let path = [];
let line = null; // the longest line that was asked for
let lineOf = null;

export function startHand(sender, redrawer) {
  send = sender;
  redraw = redrawer;
  document.addEventListener("keydown", onKey);
}

const same = (a, b) => a.kind === b.kind && a.value === b.value;

const remaining = () => view.moves.filter((move) => path.every((step, i) => move.steps[i] && same(step, move.steps[i])));

function options() {
  const found = [];
  for (const move of remaining()) {
    const step = move.steps[path.length];
    if (step && !found.some((other) => same(other, step))) found.push(step);
  }
  return found;
}

// One choice was made: go on as long as there is nothing to choose.
function choose(step) {
  path.push(step);
  for (;;) {
    const moves = remaining();
    if (moves.length === 1 || moves.every((move) => move.steps.length === path.length)) {
      path = [];
      send({ type: "do", seq: view.seq, move: moves[0].id });
      view.moves = []; // until the server answers there is nothing more to do
      redraw();
      return;
    }
    const next = options();
    if (next.length !== 1) break;
    path.push(next[0]);
  }
  redraw();
  ($("chooser").querySelector("button.choice") ?? $("hand").querySelector("button.fits"))?.focus();
}

export function cancel() {
  if (!path.length) return false;
  const tile = path[0].value;
  path = [];
  redraw();
  $("hand").querySelector(`[data-tile="${tile}"]`)?.focus();
  return true;
}

// What choosing this row of the table does now.
export function tapRow(train) {
  if (!view || !path.length) return null;
  const step = options().find((other) => (other.kind === "train" || other.kind === "seat") && other.value === train);
  return step ? { label: step.label, go: () => choose(step) } : null;
}

// Takes everything off the page that only one person may see.
export function hideHand() {
  view = null;
  path = [];
  line = null;
  for (const id of ["hand", "chooser", "actions", "status"]) $(id).replaceChildren();
}

export function setLine(answer) {
  if (answer.seq !== view?.seq) return;
  line = answer;
  lineOf = view.seq;
  redraw();
}

export function renderHand(newView) {
  if (newView.seq !== view?.seq || newView.seat !== view?.seat) path = [];
  view = newView;
  if (lineOf !== view.seq) line = null;
  const active = document.activeElement;
  const focused = active?.dataset?.key;
  const mayTakeFocus = !active || active === document.body || $("player").contains(active) || !active.isConnected;
  const steps = options();
  renderTiles(steps.filter((step) => step.kind === "hand"));
  renderChooser(steps.filter((step) => step.kind !== "hand" && step.kind !== "button"));
  renderButtons(steps.filter((step) => step.kind === "button"));
  if (mayTakeFocus && view.seat !== null) restoreFocus(focused);
}

function restoreFocus(key) {
  const kept = key && $("player").querySelector(`[data-key="${key}"]:not(:disabled)`);
  const first = $("chooser").querySelector("button.choice") ?? $("hand").querySelector("button.fits") ?? $("actions").querySelector("button.now");
  if (kept && (kept.classList.contains("fits") || !view.moves.length)) kept.focus({ preventScroll: true });
  else if (view.moves.length) first?.focus({ preventScroll: true });
  else kept?.focus({ preventScroll: true });
}

function renderTiles(fitting) {
  const hand = $("hand");
  const tiles = view.hand ?? [];
  const order = line ? [...line.tiles, ...tiles.filter((tile) => !line.tiles.includes(tile))] : tiles;
  const seen = {};
  const nodes = order.map((tile) => {
    seen[tile] = (seen[tile] ?? 0) + 1;
    const step = fitting.find((other) => other.value === tile);
    const chosen = path[0]?.kind === "hand" && path[0].value === tile;
    const place = line ? line.tiles.indexOf(tile) + 1 : 0;
    const classes = ["in-hand", step ? "fits" : "", chosen ? "chosen" : "", tile === view.drawn ? "drawn" : "", place ? "in-line" : ""];
    const words = [nameOf(tile), step ? "fits" : "", tile === view.drawn ? "just drawn" : "", place ? `number ${place} of the longest line` : ""];
    return button("", () => (step ? choose(step) : undefined), {
      class: classes.filter(Boolean).join(" "),
      "data-tile": tile,
      "data-key": `${tile}/${seen[tile]}`,
      "aria-label": words.filter(Boolean).join(", "),
      "aria-disabled": step ? null : "true",
      "aria-pressed": chosen ? "true" : null,
      tabindex: -1,
    });
  });
  nodes.forEach((node, i) => {
    node.append(drawText(order[i]));
    if (line && line.tiles.includes(order[i])) node.append(el("span", { class: "place", "aria-hidden": "true" }, String(line.tiles.indexOf(order[i]) + 1)));
  });
  (nodes.find((node) => node.classList.contains("fits")) ?? nodes[0])?.setAttribute("tabindex", "0");
  hand.replaceChildren(...nodes);
  hand.classList.toggle("large", tiles.length > 18);
}

function renderChooser(steps) {
  const chooser = $("chooser");
  show(chooser, steps.length > 0 || path.length > 0);
  if (chooser.hidden) return chooser.replaceChildren();
  const kind = options()[0]?.kind;
  const what = path.length ? `${QUESTIONS[kind] ?? "Choose"} for ${path[0].label}` : "Choose one";
  chooser.setAttribute("aria-label", what);
  const choices = steps.map((step, i) =>
    button(step.label, () => choose(step), { class: "choice", "data-value": step.value, "data-key": `choice/${step.value}`, "aria-keyshortcuts": i < 9 ? String(i + 1) : null }));
  choices.forEach((node, i) => i < 9 && steps.length > 1 && node.prepend(el("kbd", { "aria-hidden": "true" }, String(i + 1))));
  chooser.replaceChildren(el("p", {}, what), ...choices, path.length ? button("Cancel", cancel, { class: "plain", "aria-keyshortcuts": "Escape" }) : "");
  return undefined;
}

function renderButtons(steps) {
  const nodes = BUTTONS.map(([value, label, key]) => {
    const step = steps.find((other) => other.value === value);
    if (!step && value === "stop") return null;
    const text = value === "draw" ? `${label} (${view.boneyard})` : label;
    return button("", () => choose(step), { class: step ? "now" : "later", disabled: !step, "data-key": value, "aria-keyshortcuts": key, "aria-label": label },
      ).appendChild(document.createTextNode(text)).parentNode;
  });
  const hint = button("Longest line", () => (line ? forgetLine() : send({ type: "hint" })), { class: "plain", "data-key": "hint", "aria-pressed": line ? "true" : "false", disabled: !view.hand?.length, "aria-keyshortcuts": "L" });
  const told = line ? el("span", { class: "told" }, lineText()) : null;
  $("actions").replaceChildren(...nodes.filter(Boolean), hint, ...(told ? [told] : []));
}

function lineText() {
  if (!line.tiles.length) return "There is no tile to line up.";
  const count = `${line.tiles.length} ${line.tiles.length === 1 ? "tile" : "tiles"}, ${line.pips} pips: ${line.tiles.join(", ")}`;
  return line.onTrain ? count : `Nothing goes on your train now. Elsewhere: ${count}`;
}

function forgetLine() {
  line = null;
  redraw();
}

function step(nodes, by) {
  const at = nodes.indexOf(document.activeElement);
  nodes[(at + by + nodes.length) % nodes.length]?.focus();
}

function onKey(event) {
  if (!view || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if ($("game").hidden || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
  const choices = [...$("chooser").querySelectorAll("button.choice")];
  if (by) {
    const inHand = !choices.length;
    if (inHand && $("aside").contains(event.target)) return;
    const nodes = inHand ? [...$("hand").children] : choices;
    if (!nodes.length) return;
    if (nodes.includes(document.activeElement)) step(nodes, by);
    else (nodes.find((node) => node.tabIndex === 0) ?? nodes[0]).focus();
    event.preventDefault();
  } else if (key === "Escape") {
    if (cancel()) event.preventDefault();
  } else if (/^[1-9]$/.test(key) && choices[key - 1]) {
    choices[key - 1].click();
  } else if ("dpsl".includes(key)) {
    const name = { d: "draw", p: "pass", s: "stop", l: "hint" }[key];
    $("actions").querySelector(`[data-key="${name}"]:not(:disabled)`)?.click();
  }
}
