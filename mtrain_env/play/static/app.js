// The page: which screen is shown, the socket to the game, and what the person asks for.

import { $, button, el, show } from "./dom.js";
import { cancel, hideHand, renderHand, setLine, startHand, tapRow } from "./hand.js";
import { blocks, forgetLog, miniScores, openDialog, renderCover, renderLog, renderSummary, scoreSheet, screen } from "./panels.js";
import { posted, startSetup } from "./setup.js";
import { forgetTable, renderTable } from "./table.js";

const STORE = "mtrain-games";
const GONE = [4401, 4404];

let options = null;
let game = null; // { id, tokens }
let seats = [];
let title = "";
let until = null;
let view = null;
let socket = null;
let tries = 0;
let atTable = false; // the person looks at the table although the round is over
let form = null; // what the game was begun with

const stored = () => JSON.parse(localStorage.getItem(STORE) ?? "{}");
const store = (games) => localStorage.setItem(STORE, JSON.stringify(games));

async function post(path, data) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data) });
  const found = await answer.json().catch(() => ({ error: `The server answered ${answer.status}.` }));
  if (!answer.ok) throw new Error(found.error ?? `The server answered ${answer.status}.`);
  return found;
}

function banner(text) {
  $("banner").textContent = text ?? "";
  show($("banner"), Boolean(text));
}

// -- set-up

async function toSetup() {
  options ??= await (await fetch("/api/options")).json();
  screen("setup");
  $("round").textContent = "";
  const [last] = Object.keys(stored()).slice(-1);
  startSetup(options, begin, help, last ? () => resume(last) : null);
}

function resume(id) {
  const kept = stored()[id];
  game = { id, tokens: kept.tokens };
  form = kept.form;
  history.replaceState(null, "", `#game=${id}`);
  connect();
}

async function begin(data) {
  try {
    const begun = await post("/api/games", data);
    form = data;
    game = { id: begun.game, tokens: begun.tokens };
    store({ ...stored(), [game.id]: { tokens: game.tokens, form } });
    history.replaceState(null, "", `#game=${game.id}`);
    connect();
    return null;
  } catch (error) {
    return error.message;
  }
}

async function help(data) {
  const found = await post("/api/help", data);
  openDialog("How to play", ...blocks(found.blocks));
}

// -- the socket

function connect() {
  atTable = false;
  forgetLog();
  forgetTable();
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const mine = new WebSocket(`${scheme}//${location.host}/api/games/${game.id}/socket`);
  socket = mine;
  mine.onopen = () => mine.send(JSON.stringify({ type: "hello", tokens: game.tokens }));
  mine.onmessage = (event) => { if (mine === socket) receive(JSON.parse(event.data)); };
  mine.onclose = (event) => {
    if (mine !== socket || !game) return;
    if (GONE.includes(event.code)) {
      forget();
      banner("That game is not there any more.");
      toSetup();
      return;
    }
    banner("The connection is lost; trying again…");
    setTimeout(connect, Math.min(5000, 300 * 2 ** tries));
    tries += 1;
  };
}

const send = (message) => { if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); };

function receive(message) {
  if (message.type === "welcome") {
    ({ seats, title, until } = message);
    tries = 0;
    banner(null);
  } else if (message.type === "view") {
    if (message.phase !== view?.phase) atTable = false;
    view = message;
    render();
  } else if (message.type === "hint") {
    setLine(message);
  } else if (message.type === "refused") {
    banner(message.why);
    setTimeout(() => { if ($("banner").textContent === message.why) banner(null); }, 4000);
  }
}

function forget() {
  const games = stored();
  if (game) delete games[game.id];
  store(games);
  game = null;
  view = null;
  history.replaceState(null, "", location.pathname);
}

function leave() {
  send({ type: "leave" });
  const old = socket;
  socket = null;
  setTimeout(() => old?.close(), 200);
  forget();
  banner(null);
  toSetup();
}

// -- the game

function render() {
  const { dataset } = document.body;
  dataset.seq = view.seq;
  dataset.phase = view.phase;
  dataset.seat = view.seat ?? "";
  dataset.turn = view.turn ?? "";
  dataset.mine = view.moves.length > 0;
  const opening = view.opening === null || view.opening < 0 ? "" : ` · opening double ${view.opening}-${view.opening}`;
  const way = view.direction < 0 ? " · counter-clockwise" : "";
  $("round").textContent = `Round ${view.round} of ${view.rounds}${opening}${way} · boneyard ${view.boneyard}`;
  renderLog(view.log);
  if (view.cover !== null) {
    hideHand();
    $("dialog").close();
    screen("cover");
    renderCover(view, seats, (seat) => send({ type: "show", seat }));
    return;
  }
  $("cover").replaceChildren();
  if (view.summary && !atTable) {
    screen("summary");
    renderSummary(view, seats, { next: () => send({ type: "next" }), again: leave, record: download, replay: watch, table: () => { atTable = true; render(); } });
    $("next").focus();
    return;
  }
  $("summary").replaceChildren();
  screen("game");
  renderTable($("rows"), view, seats, tapRow);
  $("mini-scores").replaceChildren(miniScores(view, seats));
  $("log").scrollTop = $("log").scrollHeight; // only now it has its height
  $("status").textContent = view.status;
  $("duty").textContent = view.duty ?? "";
  show($("duty"), Boolean(view.duty));
  renderHand(view);
  if (view.summary) $("actions").replaceChildren(button("Back to the summary", () => { atTable = false; render(); }, { class: "now" }));
  const wanted = document.querySelector(".row.target, .row .waiting")?.closest(".row");
  if (wanted) wanted.scrollIntoView({ block: "nearest" });
}

function redraw() {
  document.body.dataset.mine = view.moves.length > 0;
  renderTable($("rows"), view, seats, tapRow);
  renderHand(view);
}

// Before the game is over, what the person saw whose tiles are shown now.
async function recordText() {
  const token = game.tokens[view.seat] ?? Object.values(game.tokens)[0];
  const answer = await fetch(`/api/games/${game.id}/record`, { headers: { Authorization: `Bearer ${token}` } });
  if (answer.ok) return answer.text();
  banner((await answer.json().catch(() => ({}))).error ?? `The server answered ${answer.status}.`);
  return null;
}

async function download() {
  const text = await recordText();
  if (text === null) return;
  const url = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  el("a", { href: url, download: "mexican-train.jsonl" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

async function watch() {
  const text = await recordText();
  if (text === null) return;
  sessionStorage.setItem("mtrain-record", text);
  location.assign("/replay");
}

function menu() {
  const speeds = options?.speeds ?? ["slow", "normal", "fast", "at once"];
  const close = (act) => () => { $("dialog").close(); act(); };
  const whose = view.seat === null || seats[view.seat].name === "You" ? "Download the record so far" : `Download what ${seats[view.seat].name} saw so far`;
  openDialog("Menu",
    el("p", {}, title), until ? el("p", {}, `No new round after ${until}.`) : null,
    el("p", { id: "speed-label" }, "Opponents play"),
    el("div", { class: "chips", role: "group", "aria-labelledby": "speed-label" }, ...speeds.map((speed) =>
      button(speed, (event) => {
        send({ type: "speed", speed });
        for (const other of event.target.parentNode.children) other.setAttribute("aria-pressed", String(other === event.target));
      }, { "aria-pressed": String(view?.speed === speed) }))),
    el("div", { class: "buttons" },
      view.seat !== null || view.summary ? button(whose, close(download)) : null,
      button("End this game", close(leave), { class: "danger" })));
}

$("open-help").addEventListener("click", () => help(game && form ? form : posted()));
$("open-scores").addEventListener("click", () => openDialog("Score sheet", scoreSheet(view, seats)));
$("open-menu").addEventListener("click", menu);
$("close-dialog").addEventListener("click", () => $("dialog").close());
$("dialog").addEventListener("click", (event) => { if (event.target === $("dialog")) $("dialog").close(); });
$("table").addEventListener("click", (event) => { if (!event.target.closest(".target")) cancel(); });

window.addEventListener("hashchange", () => location.reload()); // another game's address was typed

startHand(send, redraw);
const wanted = new URLSearchParams(location.hash.slice(1)).get("game");
if (wanted && stored()[wanted]) {
  resume(wanted);
  fetch("/api/options").then((answer) => answer.json()).then((found) => { options = found; });
} else {
  toSetup();
}
