// What the tests ask of reader.mjs.
//   node run_reader.mjs replay DIR...      a line of JSON for each bundle: its golden positions, or the refusal
//   node run_reader.mjs judge DIR FOLDER   FOLDER/rows.f32, counts.i32, ids.i32 -> score.f32, value.f32, move.i32
import { readFileSync, writeFileSync } from "node:fs";
import { readBundle, replay } from "../../mtrain_env/bots/reader.mjs";

const [what, ...folders] = process.argv.slice(2);
const bytes = (folder, name) => new Uint8Array(readFileSync(`${folder}/${name}`));
const open = (folder) => readBundle(bytes(folder, "policy.json"), bytes(folder, "model.safetensors"));

if (what === "replay") {
  for (const folder of folders) {
    const answer = await open(folder)
      .then((bundle) => replay(bundle, bytes(folder, "golden.json")))
      .catch((error) => ({ error: error.message }));
    console.log(JSON.stringify(answer));
  }
} else {
  const [folder, states] = folders;
  const bundle = await open(folder);
  const numbers = (name, type) => new type(bytes(states, name).buffer);
  const rows = numbers("rows.f32", Float32Array);
  const counts = numbers("counts.i32", Int32Array);
  const ids = numbers("ids.i32", Int32Array);
  const row = (k) => rows.subarray(k * bundle.width, (k + 1) * bundle.width);
  const [scores, values, moves] = [[], [], []];
  let first = 0;
  counts.forEach((count, k) => {
    const legal = ids.subarray(first, first + count);
    if (bundle.kind === "mlp/1") {
      const { score, value, move } = bundle.candidates(Array.from(legal, (_, j) => row(first + j)));
      scores.push(...score);
      values.push(...value.flat());
      moves.push(move);
    } else {
      const mask = new Float32Array(bundle.scores);
      for (const id of legal) mask[id] = 1;
      const { score, value, move } = bundle.flat(row(k), mask);
      scores.push(...Array.from(legal, (id) => score[id]));
      values.push(value);
      moves.push(legal.indexOf(move));
    }
    first += count;
  });
  writeFileSync(`${states}/score.f32`, new Float32Array(scores));
  writeFileSync(`${states}/value.f32`, new Float32Array(values));
  writeFileSync(`${states}/move.i32`, new Int32Array(moves));
}
