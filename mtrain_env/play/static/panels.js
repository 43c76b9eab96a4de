// What stands around the table: the log, the score sheet, the summary of a round, the cover screen and the help.

import { $, button, el, show } from "./dom.js";
import { drawText, nameOf } from "./tiles.js";

let told = -1;

export function forgetLog() {
  told = -1;
  $("log").replaceChildren();
  $("latest").textContent = "";
}

// New entries are read out; the private ones of a covered hand never reach the page.
export function renderLog(entries) {
  $("log").replaceChildren(...entries.map(([n, text]) => el("li", { class: n > told ? "new" : "" }, text)));
  const fresh = entries.filter(([n]) => n > told).map(([, text]) => text);
  $("announce").textContent = told >= 0 ? fresh.slice(-8).join(" ") : "";
  if (entries.length) {
    told = entries[entries.length - 1][0];
    $("latest").textContent = entries[entries.length - 1][1];
  }
}

export function scoreSheet(view, seats) {
  if (!view.scores.length && view.phase !== "round_over") return el("p", {}, "No round is over yet.");
  const lowest = Math.min(...view.players.map((player) => player.total));
  return el("div", { class: "sheet", role: "group", "aria-label": "Points by round", tabindex: 0 }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Round"), ...seats.map((seat) => el("th", { scope: "col" }, seat.name)))),
    el("tbody", {}, ...view.scores.map((round) => el("tr", {},
      el("th", { scope: "row" }, `${round.round}`, el("span", { class: "muted" }, ` (${round.opening}-${round.opening})`)),
      ...round.pips.map((pips, seat) => el("td", { class: round.winner === seat ? "won" : "" }, String(pips)))))),
    el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, "Total"),
      ...view.players.map((player) => el("td", { class: player.total === lowest ? "best" : "" }, String(player.total)))))));
}

export function miniScores(view, seats) {
  const order = seats.map((seat, i) => ({ name: seat.name, bot: seat.bot, player: view.players[i] }));
  order.sort((a, b) => a.player.total - b.player.total);
  return el("table", { class: "mini" }, el("tbody", {}, ...order.map((one) => el("tr", {},
    el("th", { scope: "row" }, one.name, one.bot ? el("span", { class: "muted" }, ` ${one.bot}`) : null),
    el("td", {}, String(one.player.total))))));
}

// The end of a round: revealed hands, points, and what comes next.
export function renderSummary(view, seats, acts) {
  const node = $("summary");
  const summary = view.summary;
  const order = seats.map((_, seat) => seat).sort((a, b) => summary.pips[a] - summary.pips[b]);
  const hands = order.map((seat) => el("li", { class: view.summary.winner === seat ? "winner" : "" },
    el("h3", {}, seats[seat].name, el("span", { class: "points" }, summary.winner === seat ? "out" : `${summary.pips[seat]} pips`)),
    el("div", { class: "revealed" }, ...summary.hands[seat].map((tile) => el("span", { class: "shown", role: "img", "aria-label": nameOf(tile) }, drawText(tile))),
      summary.hands[seat].length ? null : el("span", { class: "muted" }, "no tiles left"))));
  const next = view.end
    ? [button("New game", acts.again, { class: "now", id: "next" }), button("Download the record", acts.record), button("Look at it again", acts.replay)]
    : [button("Next round", acts.next, { class: "now", id: "next" })];
  node.replaceChildren(
    el("section", { class: "card" },
      view.end ? el("p", { class: "muted" }, summary.title) : null,
      el("h2", {}, view.end ? view.end.title : summary.title),
      el("div", { class: "buttons" }, ...next, button("See the table", acts.table, { class: "plain" })),
      el("ul", { class: "hands" }, ...hands)),
    el("section", { class: "card" }, el("h2", {}, "Score sheet"), scoreSheet(view, seats)));
}

export function renderCover(view, seats, reveal) {
  const name = seats[view.cover].name;
  $("cover").replaceChildren(el("section", { class: "card curtain" },
    el("p", { class: "muted" }, "The tiles are hidden."),
    el("h2", {}, `Pass the device to ${name}`),
    el("p", {}, `${name}, it is your turn. Nobody else should be looking.`),
    button("Show my tiles", () => reveal(view.cover), { class: "now", id: "show-tiles" })));
  $("show-tiles").focus();
}

export function openDialog(title, ...content) {
  $("dialog-title").textContent = title;
  $("dialog-body").replaceChildren(...content.filter(Boolean));
  const dialog = $("dialog");
  if (!dialog.open) dialog.showModal();
  $("dialog-body").scrollTop = 0;
}

export function blocks(list) {
  const nodes = [];
  for (const [tag, spans] of list) {
    const inside = spans.map(([style, text]) => (style ? el(style, {}, text) : text));
    if (tag !== "li") nodes.push(el(tag === "h2" ? "h3" : tag, {}, ...inside));
    else if (nodes[nodes.length - 1]?.tagName === "UL") nodes[nodes.length - 1].append(el("li", {}, ...inside));
    else nodes.push(el("ul", {}, el("li", {}, ...inside)));
  }
  return nodes;
}

export const screen = (name) => {
  document.body.dataset.screen = name;
  for (const id of ["setup", "game", "summary", "cover"]) show($(id), id === name);
};
