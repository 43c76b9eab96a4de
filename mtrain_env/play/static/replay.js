// Stepping through a record: the table with all hands, what was played, and what a chosen bot would have played.

import { $, el, show } from "./dom.js";
import { drawText, nameOf } from "./tiles.js";
import { forgetTable, renderTable } from "./table.js";

let record = null;
let replay = null;
let seats = [];
let at = 0;
let asked = 0;

async function open(text, game = 0) {
  record = text;
  show($("banner"), false);
  const answer = await fetch("/api/replays", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ record, game }) });
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) return fail(found.error ?? `The server answered ${answer.status}.`);
  replay = found;
  seats = replay.names.map((name, seat) => ({ name, bot: replay.bots[seat] ?? "", mine: false }));
  $("slider").max = replay.steps - 1;
  $("rounds").replaceChildren(...replay.rounds.map((step, i) => el("option", { value: step }, String(i + 1))));
  $("games").replaceChildren(...Array.from({ length: replay.games }, (_, i) => el("option", { value: i, selected: i === replay.game }, `${i + 1} of ${replay.games}`)));
  show($("which"), replay.games > 1);
  const bot = $("bot").value;
  $("bot").replaceChildren(el("option", { value: "" }, "nobody"), ...replay.opponents.map((one) => el("option", { value: one.id, selected: one.id === bot }, one.title)));
  show($("open"), false);
  show($("stage"), true);
  forgetTable();
  return go(0);
}

function fail(text) {
  $("banner").textContent = text;
  show($("banner"), true);
}

async function go(step) {
  at = Math.max(0, Math.min(replay.steps - 1, step));
  asked += 1;
  const mine = asked;
  const bot = $("bot").value;
  const answer = await fetch(`/api/replays/${replay.replay}/${at}?bot=${encodeURIComponent(bot)}`);
  const view = await answer.json();
  if (mine !== asked) return;
  if (!answer.ok) return fail(view.error);
  render(view);
}

function render(view) {
  if (Number(document.body.dataset.step) !== view.step - 1) forgetTable(); // after a jump nothing is new
  document.body.dataset.step = view.step;
  $("slider").value = view.step;
  $("where").textContent = `${view.step + 1} of ${replay.steps}`;
  $("rounds").value = String(replay.rounds.filter((step) => step <= view.step).pop());
  $("round").textContent = `${replay.title} · round ${view.round} of ${view.rounds} · boneyard ${view.boneyard}`;
  $("told").textContent = view.told.join(" ");
  renderTable($("rows"), view, seats, null);
  $("hands").replaceChildren(el("h2", {}, view.summary ? view.summary.title : "All hands"), el("ul", {}, ...view.hands.map((hand, seat) => el("li", { class: view.turn === seat ? "turn" : "" },
    el("h3", {}, `${seats[seat].name} ${seats[seat].bot}`),
    el("div", { class: "revealed" }, ...hand.map((tile) => el("span", { class: "shown", role: "img", "aria-label": nameOf(tile) }, drawText(tile))))))));
  $("advice").replaceChildren(...advice(view));
}

const signed = (pips) => (pips > 0 ? "+" : "") + pips.toFixed(1);

function advice(view) {
  const nodes = [el("h2", {}, "What came next"), el("p", {}, view.played ?? (view.summary ? "The round was over." : "Nothing."))];
  if (!view.advice) return nodes;
  const title = $("bot").selectedOptions[0].textContent;
  const { choice, why } = view.advice;
  nodes.push(el("h2", {}, `${title} would play`), el("p", { id: "choice" }, el("strong", {}, choice)));
  if (!why) return [...nodes, el("p", { class: "muted" }, "It gives no numbers for its choice.")];
  const [first] = why.rows;
  const has = { Move: true, Chance: first.chance !== null, Pips: first.pips !== null };
  const heads = Object.keys(has).filter((head) => has[head]);
  const cells = {
    Move: (one) => one.move,
    Chance: (one) => `${(100 * one.chance).toFixed(1)}%`,
    Pips: (one) => (one.error === null ? one.pips.toFixed(1) : `${signed(one.pips)} ± ${one.error.toFixed(1)}`),
  };
  nodes.push(el("table", { id: "why" },
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...why.rows.map((one) => el("tr", {}, ...heads.map((head) => el("td", {}, cells[head](one))))))));
  if (has.Pips) nodes.push(el("p", { class: "muted" }, `Pips: ${why.pips}.`));
  return nodes;
}

$("file").addEventListener("change", async (event) => open(await event.target.files[0].text()));
$("first").addEventListener("click", () => go(0));
$("back").addEventListener("click", () => go(at - 1));
$("on").addEventListener("click", () => go(at + 1));
$("last").addEventListener("click", () => go(replay.steps - 1));
$("slider").addEventListener("input", (event) => go(Number(event.target.value)));
$("rounds").addEventListener("change", (event) => go(Number(event.target.value)));
$("games").addEventListener("change", (event) => open(record, Number(event.target.value)));
$("bot").addEventListener("change", () => go(at));
document.addEventListener("keydown", (event) => {
  if (!replay || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by) go(at + by);
});

const kept = sessionStorage.getItem("mtrain-record");
if (kept) {
  sessionStorage.removeItem("mtrain-record");
  open(kept);
}
