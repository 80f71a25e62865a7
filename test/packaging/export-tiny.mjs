/**
 * Exports one tiny bundle a logic from the built packages into the folder given, and prints the SHA-256 of their
 * manifests, which hold those of all other files. Plain JavaScript, for Node versions that know no types.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKnowledgeGraph, createRandom, createVocabulary } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { initialiseParameters, plainModel } from '@fuzzqe/core/model';
import { exportBundle, randomGoldenQueries } from '@fuzzqe/export';

const [folder] = process.argv.slice(2);
const names = (kind, count) =>
  Array.from({ length: count }, (_, i) => ({ key: `${kind}${i}`, label: `${kind} ${i}` }));
for (const logic of logicNames) {
  const config = {
    entities: 40,
    relations: 6,
    ...plainModel,
    dimension: 16,
    bases: 4,
    logic,
    mapping: logic === 'godel' ? 'boundedRectifier' : 'logistic',
  };
  const random = createRandom('determinism', logic);
  await exportBundle({
    directory: join(folder, logic),
    name: logic,
    config,
    parameters: initialiseParameters(config, random),
    vocabulary: createVocabulary({ entities: names('e', 40), relations: names('r', 3) }),
    graph: createKnowledgeGraph({
      entityCount: 40,
      relationCount: 6,
      triples: Int32Array.of(0, 0, 1, 2, 4, 3),
    }),
    data: { name: 'nothing', licence: 'CC0-1.0' },
    training: {},
    metrics: {},
    goldenQueries: randomGoldenQueries(config, 2, random),
    k: 10,
  });
  const manifest = readFileSync(join(folder, logic, 'manifest.json'));
  process.stdout.write(`${logic} ${createHash('sha256').update(manifest).digest('hex')}\n`);
}
