/**
 * Exports one tiny bundle a logic from the built packages into the folder given, in every profile, and prints the
 * SHA-256 of their manifests, which hold those of all other files. Plain JavaScript, for Node versions that know no types.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKnowledgeGraph, createRandom, createVocabulary } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { initialiseParameters, plainModel } from '@fuzzqe/core/model';
import { exportBundle, profileNames, randomGoldenQueries } from '@fuzzqe/export';

const [folder] = process.argv.slice(2);
// More than the int8 profiles score exactly for an answer, so that they have candidates to choose.
const entities = 300;
const names = (kind, count) =>
  Array.from({ length: count }, (_, i) => ({ key: `${kind}${i}`, label: `${kind} ${i}` }));
for (const logic of logicNames) {
  const config = {
    entities,
    relations: 6,
    ...plainModel,
    dimension: 16,
    bases: 4,
    logic,
    mapping: logic === 'godel' ? 'boundedRectifier' : 'logistic',
    ...(logic === 'lukasiewicz' ? { entityNormalisation: 'l1', score: 'cosine' } : {}),
  };
  const random = createRandom('determinism', logic);
  const start = initialiseParameters(config, random);
  await exportBundle({
    directory: join(folder, logic),
    name: logic,
    config,
    // Away from the centred start, where layer normalisation scales rounding up.
    parameters: {
      ...start,
      entities: start.entities.map((value) => 0.5 + 6 * (value - 0.5)),
      biasBases: start.biasBases.map((value) => value + 0.2 * random.normal()),
    },
    vocabulary: createVocabulary({ entities: names('e', entities), relations: names('r', 3) }),
    graph: createKnowledgeGraph({
      entityCount: entities,
      relationCount: 6,
      triples: Int32Array.of(0, 0, 1, 2, 4, 3),
    }),
    data: { name: 'nothing', licence: 'CC0-1.0' },
    training: {},
    metrics: {},
    goldenQueries: randomGoldenQueries(config, 2, random),
    k: 10,
    profiles: profileNames,
  });
  const manifest = readFileSync(join(folder, logic, 'manifest.json'));
  process.stdout.write(`${logic} ${createHash('sha256').update(manifest).digest('hex')}\n`);
}
