// scratch: top 10 of best tails against whole rows. node bench/sets60k-recall.mjs BUNDLE each count,count
import { readFile } from 'node:fs/promises';
import { openEngine } from '@fuzzqe/engine';
import { createLinkScores } from '@fuzzqe/engine';
import { createLinkDegrees, createTailDegrees, createRuleIndex } from '@fuzzqe/evidence';
import { answerSets, bestAnswers, createSetLogic, tailSets, recordedComeFirst } from '@fuzzqe/core/sets';
import { createAnswerer, templateOf } from '@fuzzqe/core/query';
import { topK } from '@fuzzqe/core/ranking';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { createRandom } from '@fuzzqe/core';
import { drawQueries } from './serve/queries.mjs';
const [bundle, each, counts] = process.argv.slice(2);
const sessions = nodeSessions(bundle, { threads: 1 });
const source = folderSource(bundle);
const engine = await openEngine({ source, sessions, profile: 'fp32', plan: 'operators', verify: false });
const { facts, manifest } = engine;
const saved = JSON.parse(await readFile('/tmp/sets60k/calib.json', 'utf8'));
const weights = { ...saved.weights, relations: Float64Array.from(Object.values(saved.weights.relations)) };
const rules = createRuleIndex(saved.rules);
const session = await sessions.open(manifest.profiles.fp32.links, source);
const model = manifest.model;
const E = model.entities;
const scores = createLinkScores({ model, run: (f) => session.run(f) });
const links = createLinkDegrees({ facts, rules, weights, scores });
const picked = async (heads, relations, ids) => {
  const rows = await scores(heads, relations);
  const out = new Float32Array(heads.length * ids.length);
  for (let i = 0; i < heads.length; i++) for (let e = 0; e < ids.length; e++) out[i * ids.length + e] = rows[i * E + ids[e]];
  return out;
};
const tails = createTailDegrees({ facts, rules, weights, scores: picked, whole: scores });
const state = { links, logic: createSetLogic(model.logic), projection: manifest.sets.projection, facts };
const drawn = drawQueries(facts, 1400, createRandom('bench serve', 'queries'));
const answerer = createAnswerer(facts);
const by = new Map();
const n = Number(each);
for (const { query, structure } of drawn) {
  const list = by.get(structure) ?? []; by.set(structure, list); if (list.length < n) list.push(query);
}
let alsoSum = 0;
const alsoOf = (query) => {
  const all = new Set();
  const visit = (node) => {
    if (node.op === 'entity') return;
    if (node.op === 'project') return visit(node.from);
    if (node.op === 'not') return visit(node.operand);
    if (node.op === 'and') for (const o of node.operands) if (o.op !== 'not') {
      const t = templateOf(o);
      const ids = answerer.answer(t.template, t.anchors, t.relations).toArray();
      if (process.env.BIG || ids.length < 4096) for (const id of ids) all.add(id);
    }
    node.operands.forEach(visit);
  };
  if (!process.env.NOALSO) visit(query);
  return Int32Array.from(all);
};
const cs = counts.split(',').map(Number);
const tot = cs.map(() => 0); let all = 0;
for (const [structure, list] of by) {
  const same = cs.map(() => 0), over = cs.map(() => 0), dev = cs.map(() => 0);
  let asked = 0;
  for (const query of list) {
    const { template, anchors, relations } = templateOf(query);
    const known = answerer.answer(template, anchors, relations).clone();
    const need = !recordedComeFirst(state, query) || known.size < 10;
    asked++;
    if (!need) { cs.forEach((c, i) => { same[i]++; over[i] += 10; }); continue; }
    const [whole] = await answerSets(state, [query]);
    const also = alsoOf(query); alsoSum += also.length;
    const best = topK(whole.degrees, 10).ids;
    for (const [i, c] of cs.entries()) {
      const [quick] = await answerSets(tailSets(state, tails, { count: c, also }), [query]);
      const ids = topK(quick.degrees, 10).ids;
      const hit = Array.from(ids).filter((id) => best.includes(id) || whole.degrees[id] >= whole.degrees[best[9]]).length;
      over[i] += hit; if (hit === 10) same[i]++;
      dev[i] = Math.max(dev[i], ...Array.from(best, (id) => Math.abs(quick.degrees[id] - whole.degrees[id])));
    }
  }
  all += asked; cs.forEach((c, i) => { tot[i] += same[i]; });
  console.log(structure, cs.map((c, i) => `${c}: same ${(same[i] / asked).toFixed(3)} recall ${(over[i] / asked / 10).toFixed(4)} dev ${dev[i].toFixed(4)}`).join(' | '));
}
console.log('also', alsoSum / all);
console.log('all', cs.map((c, i) => `${c}: ${(tot[i] / all).toFixed(4)}`).join(' '));
await session.close(); await engine.close();
