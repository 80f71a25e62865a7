// Writes the judged graphs for score.py: facts, rules and the links whose scores the fit and the test ask for.
//
//   node bench/zero-shot/prepare.mjs OUT [--data data] [graph …]
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '@fuzzqe/core';
import { findTypeRelations } from '@fuzzqe/evidence';
import { mineRules } from '@fuzzqe/evidence/mining';
import { judgedGraph, judgedGraphs } from './graphs.mjs';
import { linksOfFit, testLinks } from './links.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string', default: 'data' } },
});
const [out, ...named] = positionals;
for (const name of named.length > 0 ? named : judgedGraphs) {
  const dataset = await judgedGraph(name, values.data);
  const { train, trainValid, full } = dataset.graphs();
  const folder = join(out, name);
  await mkdir(folder, { recursive: true });
  if (!existsSync(join(folder, 'rules.json'))) {
    const { relationCount, rules } = await mineRules(train, {
      random: createRandom('rules'),
      rounds: 4,
      workers: 0,
    });
    await writeFile(join(folder, 'rules.json'), JSON.stringify({ relationCount, rules }));
  }
  const fit = linksOfFit(dataset, findTypeRelations(dataset.vocabulary));
  const test = testLinks(dataset);
  const rows = Array.from({ length: test.count }, (_, i) => [test.anchors[i], test.relations[i]]);
  await writeFile(join(folder, 'valid-facts.i32'), bytes(train.forwardTriples()));
  await writeFile(join(folder, 'test-facts.i32'), bytes(trainValid.forwardTriples()));
  await writeFile(
    join(folder, 'valid-links.i32'),
    bytes(fit.flatMap(({ head, relation }) => [head, relation])),
  );
  await writeFile(join(folder, 'test-links.i32'), bytes(rows.flat()));
  const counts = { entities: train.entityCount, relations: train.relationCount, facts: full.edgeCount / 2 };
  await writeFile(join(folder, 'graph.json'), JSON.stringify(counts));
  console.log(name, counts, `${fit.length} links of the fit, ${rows.length} of the test`);
}

function bytes(numbers) {
  const { buffer, byteOffset, byteLength } = Int32Array.from(numbers);
  return new Uint8Array(buffer, byteOffset, byteLength);
}
