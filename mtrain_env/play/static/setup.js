// The set-up form: rules, players, opponents, rounds, variations.

import { $, button, el } from "./dom.js";

let offer = null;
let form = null;

const preset = () => offer.presets.find((one) => one.id === form.rules);
const size = () => preset().sizes[form.players];

// Fills the form with what the server offers; `start(form)` begins a game, `help(form)` explains the rules,
// `resume()`, if there is a game under way, goes back to it.
export function startSetup(options, start, help, resume) {
  offer = options;
  const first = options.start;
  const opponents = first.opponents.length ? first.opponents : [];
  const usual = options.opponents.find((one) => one.id === "medium") ?? options.opponents[0];
  form = {
    rules: first.rules,
    players: first.players ?? (options.presets.find((one) => one.id === first.rules) ?? options.presets[0]).players,
    people: 1,
    names: Array(16).fill(""),
    bots: Array.from({ length: 16 }, (_, seat) => opponents[seat - 1] ?? usual.id),
    rounds: first.rounds ?? "given",
    switches: new Set(),
    speed: "normal",
    until: first.until ?? "",
    seed: "",
  };
  render(start, help, resume);
}

export function posted() {
  const seats = Array.from({ length: form.players }, (_, seat) =>
    (seat < form.people ? { person: form.names[seat] } : { bot: form.bots[seat] }));
  const allowed = new Set(preset().switches.map((one) => one.id));
  return {
    rules: form.rules, seats, speed: form.speed, rounds: form.rounds,
    switches: [...form.switches].filter((id) => allowed.has(id)), until: form.until || null,
    seed: form.seed === "" ? null : Number(form.seed),
  };
}

function render(start, help, resume) {
  const again = (change) => {
    const focused = document.activeElement?.id;
    change();
    tidy();
    render(start, help, resume);
    if (focused) $(focused)?.focus();
  };
  tidy();
  const error = el("p", { class: "error", role: "alert", id: "setup-error" });
  const begin = async (event) => {
    event.preventDefault();
    error.textContent = "";
    const { submitter } = event;
    submitter.disabled = true;
    const waiting = setTimeout(() => { submitter.textContent = "Preparing the game…"; }, 300);
    const problem = await start(posted());
    clearTimeout(waiting);
    submitter.disabled = false;
    submitter.textContent = "Start the game";
    if (!problem) return;
    error.textContent = problem;
    submitter.focus();
  };
  $("setup").replaceChildren(el("form", { class: "setup", onsubmit: begin },
    rules(again), players(again), rounds(again), variations(again), manner(),
    el("div", { class: "buttons links" },
      resume ? button("Continue the last game", resume) : null,
      button("How to play these rules", () => help(posted()), { class: "plain" }),
      el("a", { class: "plain", href: "/replay" }, "Watch a record")),
    el("div", { class: "buttons begin" }, error,
      el("button", { type: "submit", class: "now", id: "start" }, "Start the game"))));
}

function tidy() {
  const counts = Object.keys(preset().sizes).map(Number);
  form.players = Math.min(Math.max(form.players, Math.min(...counts)), Math.max(...counts));
  form.people = Math.min(form.people, form.players);
  if (typeof form.rounds === "number" && form.rounds > size().all) form.rounds = "all";
}

const group = (title, ...content) => el("fieldset", { class: "card" }, el("legend", {}, title), ...content);

function rules(again) {
  return group("Rules", el("div", { class: "cards" }, ...offer.presets.map((one) => {
    const input = el("input", { type: "radio", name: "rules", id: `rules-${one.id}`, value: one.id, checked: form.rules === one.id, onchange: () => again(() => { form.rules = one.id; form.players = Math.min(form.players, Math.max(...Object.keys(one.sizes).map(Number))); }) });
    const counts = Object.keys(one.sizes).map(Number);
    const range = counts.length > 1 ? `${Math.min(...counts)} to ${Math.max(...counts)} players` : `${counts[0]} players`;
    return el("label", { class: "option" }, input, el("span", {}, el("strong", {}, one.title), el("span", { class: "muted" }, `${range} · ${one.id}`), el("span", {}, one.about)));
  })));
}

const select = (id, values, chosen, change) => el("select", { id, onchange: (event) => change(event.target.value) },
  ...values.map(([value, text]) => el("option", { value, selected: String(value) === String(chosen) }, text)));

function players(again) {
  const counts = Object.keys(preset().sizes).map(Number);
  const people = Array.from({ length: form.players }, (_, i) => [i + 1, String(i + 1)]);
  const seats = Array.from({ length: form.players }, (_, seat) => (seat < form.people ? person(seat) : opponent(seat, again)));
  return group("Players",
    el("div", { class: "fields" },
      el("label", {}, "Number of players", select("players", counts.map((n) => [n, String(n)]), form.players, (n) => again(() => { form.players = Number(n); }))),
      el("label", {}, "People on this device", select("people", people, form.people, (n) => again(() => { form.people = Number(n); }))),
      form.players - form.people > 1 ? el("label", {}, "All opponents", select("all-bots", [["", "each its own"], ...offer.opponents.map((one) => [one.id, one.title])],
        new Set(form.bots.slice(form.people, form.players)).size === 1 ? form.bots[form.people] : "", (id) => again(() => { if (id) form.bots.fill(id); }))) : null,
      el("p", { class: "muted" }, `${size().text[0].toUpperCase()}${size().text.slice(1)}`)),
    el("ol", { class: "seats" }, ...seats),
    about());
}

function person(seat) {
  const input = el("input", { id: `name-${seat}`, type: "text", maxlength: 20, autocomplete: "off", placeholder: form.people === 1 ? "You" : `Player ${seat + 1}`, oninput: (event) => { form.names[seat] = event.target.value; } });
  input.value = form.names[seat];
  return el("li", {}, el("label", {}, `Name of person ${seat + 1}`, input));
}

const bot = (seat) => offer.opponents.find((one) => one.id === form.bots[seat]) ?? offer.opponents[0];

function opponent(seat, again) {
  return el("li", {}, el("label", {}, `Opponent in seat ${seat + 1}`,
    select(`bot-${seat}`, offer.opponents.map((one) => [one.id, one.title]), form.bots[seat], (id) => again(() => { form.bots[seat] = id; }))));
}

// What each of the chosen opponents does, and its strength, once.
function about() {
  const chosen = new Set(Array.from({ length: form.players - form.people }, (_, i) => bot(form.people + i)));
  return el("dl", { class: "about" }, ...[...chosen].flatMap((one) => [
    el("dt", {}, one.title), el("dd", {}, one.about, el("span", { class: "strength" }, `Strength: ${one.strength}`))]));
}

function rounds(again) {
  const all = size().all;
  const values = [...offer.rounds.filter((n) => n < all), "all"];
  const chosen = form.rounds === "given" ? (size().given === all ? "all" : size().given) : form.rounds;
  if (!values.includes(chosen)) values.unshift(chosen);
  return group("Rounds", el("div", { class: "chips" }, ...values.map((n) => el("label", { class: "chip" },
    el("input", { type: "radio", name: "rounds", id: `rounds-${n}`, value: n, checked: n === chosen, onchange: () => again(() => { form.rounds = n; }) }),
    el("span", {}, n === "all" ? `All ${all}` : String(n))))));
}

function variations(again) {
  const switches = preset().switches;
  if (!switches.length) return null;
  const chosen = switches.filter((one) => form.switches.has(one.id)).length;
  const toggle = (id) => again(() => { if (!form.switches.delete(id)) form.switches.add(id); });
  return el("details", { class: "card", open: chosen > 0 }, el("summary", {}, `Variations${chosen ? ` (${chosen})` : ""}`),
    el("div", { class: "switches" }, ...switches.map((one) => el("label", { class: "switch" },
      el("input", { type: "checkbox", id: `switch-${one.id}`, checked: form.switches.has(one.id), onchange: () => toggle(one.id) }), el("span", {}, one.label)))));
}

function manner() {
  const until = el("input", { type: "time", id: "until", oninput: (event) => { form.until = event.target.value; } });
  until.value = form.until;
  const seed = el("input", { type: "number", id: "seed", min: 0, max: Number.MAX_SAFE_INTEGER, step: 1, placeholder: "any", oninput: (event) => { form.seed = event.target.value; } });
  seed.value = form.seed;
  return group("Pace", el("div", { class: "fields" },
    el("label", {}, "Opponents play", select("speed", offer.speeds.map((one) => [one, one]), form.speed, (value) => { form.speed = value; })),
    el("label", {}, "No new round after", until),
    el("label", {}, "Number of the deal", seed)));
}
