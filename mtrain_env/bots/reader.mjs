// Plays a bundle in JavaScript: reads policy.json and model.safetensors, checks them, and gives scores, values, moves.
//
//   import { readBundle } from "./reader.mjs";
//   const bundle = await readBundle(policyJson, modelSafetensors);    // both as Uint8Array
//   bundle.candidates(rows)          mlp/1: a Float32Array for each legal action, in the order of their ids
//                                    -> { score: [a number a row], value: [[own, others] a row], move: index of a row }
//   bundle.flat(observation, mask)   flat-mlp/1: a Float32Array, and an array with 1 at each legal action id, else 0
//                                    -> { score: [a number an id, -1e9 if illegal], value: number, move: action id }
//
// It needs nothing but Node 20 or a browser (there crypto.subtle asks for https or localhost). Whatever is not as the
// format says is refused: an Error with a sentence. What goes in is explained in docs/observations.md.

export const FORMAT = "mtrain-policy/1";
export const MASKED = -1e9;
const TIES = 1e-5;
const MOST = { policy: 1 << 20, weights: 1 << 25, header: 100_000, width: 1 << 14, layers: 16 };
const KINDS = {
  "mlp/1": { part: "candidates", spec: "cand/1", scores: () => 1, values: 2 },
  "flat-mlp/1": { part: "flat", spec: "obs/1", scores: (flat) => flat.num_actions, values: 1 },
};

function check(holds, sentence) {
  if (!holds) throw new Error(`The bundle cannot be used: ${sentence}`);
}

function readJson(bytes, name) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return check(false, `${name} is no JSON.`);
  }
}

const isSize = (n) => Number.isInteger(n) && n >= 1 && n <= MOST.width;

/** Returns what policy.json says about the network; refuses other versions. */
function readPolicy(bytes) {
  check(bytes.length <= MOST.policy, "policy.json is too large.");
  const policy = readJson(bytes, "policy.json");
  check(policy?.format === FORMAT, `policy.json is of format ${policy?.format}; this reader reads ${FORMAT}.`);
  const id = policy.architecture?.id;
  check(Object.hasOwn(KINDS, id), `its architecture is ${id}; this reader reads ${Object.keys(KINDS).join(", ")}.`);
  const kind = KINDS[id];
  const reads = policy[kind.part];
  check(reads?.spec === kind.spec, `it reads the layout ${reads?.spec}; this reader knows ${kind.spec}.`);
  check(policy.actions === "act/1", `its action layout is ${policy.actions}; this reader knows act/1.`);
  const hidden = policy.architecture.hidden;
  check(Array.isArray(hidden) && hidden.length >= 1 && hidden.length <= MOST.layers, "it has no hidden layers.");
  const scores = kind.scores(reads);
  check([reads.width, scores, ...hidden].every(isSize), "a width in policy.json is no number that can be.");
  return { policy, kind: id, width: reads.width, hidden, scores, values: kind.values };
}

/** Returns the tensors of a safetensors file by name; refuses one that is not exactly what its header says. */
function readTensors(bytes) {
  check(bytes.length >= 8 && bytes.length <= MOST.weights, "model.safetensors is cut short or too large.");
  const size = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  check(size <= Math.min(MOST.header, bytes.length - 8), "model.safetensors is cut short or no safetensors file.");
  const header = readJson(bytes.subarray(8, 8 + size), "the header of model.safetensors");
  check(header !== null && typeof header === "object" && !Array.isArray(header), "model.safetensors has no header.");
  const numbers = bytes.slice(8 + size).buffer;
  const tensors = new Map();
  const spans = [];
  for (const [name, entry] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const { dtype, shape, data_offsets: span } = entry ?? {};
    check(dtype === "F32", `${name} in model.safetensors is not F32.`);
    const whole = [shape, span].every((list) => Array.isArray(list) && list.every((n) => Number.isInteger(n) && n >= 0));
    const length = whole ? shape.reduce((a, b) => a * b, 1) : -1;
    check(span?.length === 2 && span[1] - span[0] === 4 * length, `the shape of ${name} does not fit its bytes.`);
    check(span[1] <= numbers.byteLength && span[0] % 4 === 0, `model.safetensors is cut short at ${name}.`);
    const data = new Float32Array(numbers, span[0], length);
    check(data.every(Number.isFinite), `${name} holds a number that is not finite.`);
    tensors.set(name, { shape, data });
    spans.push(span);
  }
  spans.sort((a, b) => a[0] - b[0]);
  let end = 0;
  for (const [first, last] of spans) {
    check(first === end, "tensors in model.safetensors overlap or leave bytes over.");
    end = last;
  }
  check(end === numbers.byteLength, "tensors in model.safetensors overlap or leave bytes over.");
  return tensors;
}

const keysWhere = (list) => Array.from(list.keys()).filter((k) => list[k]);

/** weight @ x + bias, for the given rows of the weight. Most of what a network reads is 0, and is passed over. */
function linear({ weight, bias }, x, rows = Array.from(bias.data.keys())) {
  const used = keysWhere(x);
  return rows.map((row) => {
    const first = row * weight.shape[1];
    let sum = bias.data[row];
    for (const k of used) sum += weight.data[first + k] * x[k];
    return sum;
  });
}

const firstBest = (scores) => {
  const best = Math.max(...scores);
  return Math.max(0, scores.findIndex((score) => score >= best - TIES));
};

class Bundle {
  constructor({ policy, kind, width, hidden, scores, values }, tensors) {
    Object.assign(this, { policy, kind, width, scores });
    const layer = (name, rows, columns) => {
      const found = { weight: tensors.get(`${name}.weight`), bias: tensors.get(`${name}.bias`) };
      for (const [what, shape] of [["weight", [rows, columns]], ["bias", [rows]]]) {
        const has = found[what]?.shape;
        check(`${has}` === `${shape}`, `${name}.${what} has the shape [${has}]; it must be [${shape}].`);
      }
      return found;
    };
    this.layers = hidden.map((rows, i) => layer(`hidden.${i}`, rows, i ? hidden[i - 1] : width));
    this.score = layer("score", scores, hidden.at(-1));
    this.value = layer("value", values, hidden.at(-1));
    check(tensors.size === 2 * hidden.length + 4, "model.safetensors has a tensor that does not belong there.");
  }

  #hidden(x) {
    check(x.length === this.width, `a row has ${x.length} columns; it must have ${this.width}.`);
    return this.layers.reduce((y, layer) => linear(layer, y).map((sum) => Math.max(0, sum)), x);
  }

  candidates(rows) {
    check(this.kind === "mlp/1" && rows.length > 0, "candidates() needs an mlp/1 network and one row or more.");
    const last = rows.map((row) => this.#hidden(row));
    const score = last.map((x) => linear(this.score, x)[0]);
    return { score, value: last.map((x) => linear(this.value, x)), move: firstBest(score) };
  }

  flat(observation, mask) {
    check(this.kind === "flat-mlp/1", "flat() needs a flat-mlp/1 network.");
    check(mask.length === this.scores, `the mask has ${mask.length} entries; it must have ${this.scores}.`);
    const legal = keysWhere(mask);
    check(legal.length > 0, "no action is legal.");
    const x = this.#hidden(observation);
    const scores = linear(this.score, x, legal);
    const score = new Array(this.scores).fill(MASKED);
    legal.forEach((id, k) => (score[id] = scores[k]));
    return { score, value: linear(this.value, x)[0], move: legal[firstBest(scores)] };
  }
}

/** Reads and checks a bundle from the bytes of its policy.json and model.safetensors. */
export async function readBundle(policyJson, modelSafetensors) {
  const described = readPolicy(policyJson);
  const file = described.policy.files?.["model.safetensors"];
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", modelSafetensors));
  const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
  check(file?.sha256 === hex && file.size === modelSafetensors.length, "model.safetensors is not the file that policy.json names.");
  return new Bundle(described, readTensors(modelSafetensors));
}

/** Compares a bundle with its golden.json: { positions, worst difference }; refuses at the first that differs. */
export function replay(bundle, goldenJson) {
  const golden = readJson(goldenJson, "golden.json");
  check(golden?.format === "mtrain-golden/1", `golden.json is of format ${golden?.format}.`);
  let positions = 0;
  let worst = 0;
  for (const position of golden.games.flatMap((game) => game.positions)) {
    const rows = position.rows.map(([columns, numbers]) => {
      const row = new Float32Array(bundle.width);
      columns.forEach((column, k) => (row[column] = numbers[k]));
      return row;
    });
    const { score, value, move } = judge(bundle, rows, position.ids, golden.num_actions);
    const wanted = [...position.score, ...position.value.flat()];
    const found = [...score, ...value.flat()];
    found.forEach((n, k) => (worst = Math.max(worst, Math.abs(n - wanted[k]) / Math.max(1, Math.abs(wanted[k])))));
    const same = found.length === wanted.length && worst <= golden.tolerance && move === position.move;
    check(same, `golden position ${positions} differs.`);
    positions += 1;
  }
  return { positions, worst };
}

/** Scores of the legal ids, values, and the index of the move, from the rows of a position of either kind. */
function judge(bundle, rows, ids, numActions) {
  if (bundle.kind === "mlp/1") return bundle.candidates(rows);
  const mask = new Uint8Array(numActions);
  for (const id of ids) mask[id] = 1;
  const { score, value, move } = bundle.flat(rows[0], mask);
  return { score: ids.map((id) => score[id]), value: [value], move: ids.indexOf(move) };
}
