// The network of ultra.py as one tensor program with the graph as its inputs: exported, run by onnxruntime-node and compared with PyTorch.
//
//   python3 bench/zero-shot/weights.py OWN.pt OUT/weights.json && node bench/zero-shot/program.mjs OUT GRAPH NAME
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  add,
  broadcastLike,
  concat,
  constant,
  createProgram,
  gather,
  input,
  layerNorm,
  matmul,
  maximum,
  mul,
  parameter,
  scalar,
  scatterAdd,
} from '@fuzzqe/core/tensor';
import { emitOnnx } from '@fuzzqe/onnx';
import { openInferenceSession, Tensor } from '@fuzzqe/ort';

const relu = (x) => maximum(x, scalar(0));

/** Scores of all entities as tails of one link. Inputs: both graphs as edges, ones for each node, and the link. */
function linkProgram({ d, layers, weights }) {
  const of = (name) => parameter(name, weights[name].shape);
  const linear = (name, x) => add(matmul(x, of(`${name}.weight`)), of(`${name}.bias`));
  const edgesOf = (graph) =>
    ['source', 'kind', 'target'].map((part) => input(`${graph}.${part}`, 'int', [`${graph}.edges`]));
  const onesOf = (graph, nodes) => input(`${graph}.ones`, 'float', [nodes, 1]);
  const [facts, pairs] = [edgesOf('facts'), edgesOf('pairs')];
  const [entities, relations] = [onesOf('facts', 'entities'), onesOf('pairs', 'relations')];
  const [head, relation] = [input('head', 'int', [1]), input('relation', 'int', [1])];

  const layer = (name, x, start, [source, kind, target], ones, vectors) => {
    const messages = mul(gather(x, source), gather(vectors, kind));
    const total = add(start, mul(ones, scatterAdd(target, messages, ones.shape[0])));
    const y = layerNorm(linear(`${name}.linear`, concat([x, total], 1)), 1e-5);
    return add(relu(add(mul(y, of(`${name}.norm.weight`)), of(`${name}.norm.bias`))), x);
  };
  const at = (node, vector, ones) => mul(ones, scatterAdd(node, vector, ones.shape[0]));

  const first = at(relation, constant(new Array(d).fill(1), [1, d]), relations);
  let vectors = first;
  for (let i = 0; i < layers[0]; i += 1)
    vectors = layer(
      `relation_layers.${i}`,
      vectors,
      first,
      pairs,
      relations,
      of(`relation_layers.${i}.kinds`),
    );
  const query = gather(vectors, relation);
  const start = at(head, query, entities);
  let x = start;
  for (let i = 0; i < layers[1]; i += 1) {
    const name = `entity_layers.${i}`;
    const own = linear(`${name}.project.2`, relu(linear(`${name}.project.0`, vectors)));
    x = layer(name, x, start, facts, entities, own);
  }
  const scores = linear('score.2', relu(linear('score.0', concat([x, broadcastLike(query, x)], 1))));
  const inputs = [...facts, ...pairs, entities, relations, head, relation];
  return createProgram({ name: 'zero-shot', inputs, outputs: { scores } });
}

const [out, graph, name] = process.argv.slice(2);
const saved = JSON.parse(await readFile(join(out, 'weights.json'), 'utf8'));
const numbers = async (file, Type) => {
  const { buffer, byteOffset, byteLength } = await readFile(join(out, graph, file));
  return new Type(buffer.slice(byteOffset, byteOffset + byteLength));
};
const info = JSON.parse(await readFile(join(out, graph, 'graph.json'), 'utf8'));
const facts = await numbers('test-facts.i32', Int32Array);
const links = await numbers('test-links.i32', Int32Array);
const expected = await numbers(`test-${name}.f32`, Float32Array);

const file = emitOnnx(linkProgram(saved), {
  parameters: (each) => ({ kind: 'inline', data: Float32Array.from(saved.weights[each].data) }),
});
const session = await openInferenceSession(file, { intraOpNumThreads: 1 });
const ints = (values) => new Tensor('int32', Int32Array.from(values), [values.length]);
const ones = (count) => new Tensor('float32', new Float32Array(count).fill(1), [count, 1]);
const edges = [];
for (let i = 0; i < facts.length; i += 3) {
  const [h, r, t] = facts.subarray(i, i + 3);
  edges.push([h, r, t], [t, r ^ 1, h]);
}
const pairs = relationEdges(edges);
const column = (rows, at) => ints(rows.map((row) => row[at]));
const feeds = {
  ...Object.fromEntries(
    ['source', 'kind', 'target'].flatMap((part, i) => [
      [`facts.${part}`, column(edges, i)],
      [`pairs.${part}`, column(pairs, i)],
    ]),
  ),
  'facts.ones': ones(info.entities),
  'pairs.ones': ones(info.relations),
};
let [worst, sameFirst] = [0, 0];
const asked = Math.min(50, links.length / 2);
const began = process.cpuUsage();
for (let i = 0; i < asked; i += 1) {
  const { scores } = await session.run({
    ...feeds,
    head: ints([links[2 * i]]),
    relation: ints([links[2 * i + 1]]),
  });
  const row = expected.subarray(i * info.entities, (i + 1) * info.entities);
  row.forEach((value, e) => {
    worst = Math.max(worst, Math.abs(value - scores.data[e]));
  });
  const firstOf = (values) => values.reduce((best, value, e) => (value > values[best] ? e : best), 0);
  if (firstOf(row) === firstOf(scores.data)) sameFirst += 1;
}
const { user, system } = process.cpuUsage(began);
console.log(
  `${file.length} bytes; ${asked} links: at most ${worst.toExponential(1)} apart, ${sameFirst} same first, ${((user + system) / 1000 / asked).toFixed(1)} ms of the processor each`,
);

/** (from, kind, to): relations that share heads, tails, a head with a tail, a tail with a head. */
function relationEdges(facts) {
  const [heads, tails] = [new Map(), new Map()];
  const note = (sets, relation, entity) => sets.set(relation, (sets.get(relation) ?? new Set()).add(entity));
  for (const [h, r, t] of facts) {
    note(heads, r, h);
    note(tails, r, t);
  }
  const pairs = [
    [heads, heads],
    [tails, tails],
    [heads, tails],
    [tails, heads],
  ];
  return pairs.flatMap(([from, to], kind) =>
    [...from].flatMap(([a, of]) =>
      [...to].filter(([, other]) => [...of].some((e) => other.has(e))).map(([b]) => [a, kind, b]),
    ),
  );
}
