/**
 * Exports tiny bundles from the built packages into the folder given: a bundle a logic, one of each other family, and one
 * with facts that are unsure or hold for a time. Each has every profile that it can have. Prints the SHA-256 of their manifests, which hold those of all other files; further arguments name
 * fewer of them and fewer profiles, and the target. Plain JavaScript, for Node versions that know no types.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { logicNames } from '@fuzzqe/core/logic';
import { defaultWeights } from '@fuzzqe/evidence';
import { defaultSets, exportBundle, profileNames, randomGoldenQueries } from '@fuzzqe/export';
import { initialiseParameters, plainModel } from '@fuzzqe/model';
import { createVocabulary } from '@fuzzqe/names';

/** The dimensions of families that are not FuzzQE. */
const others = { gqe: 48, gqeDeepSets: 48, query2box: 48, betae: 48, betaeDm: 24, complex: 16 };
const [
  folder,
  kinds = [...logicNames, 'blocks', 'unsure', ...Object.keys(others)].join(),
  profiles = profileNames.join(),
  target,
] = process.argv.slice(2);
// More than the int8 profiles score exactly for an answer, so that they have candidates to choose.
const entities = 300;
const names = (kind, count) =>
  Array.from({ length: count }, (_, i) => ({ key: `${kind}${i}`, label: `${kind} ${i}` }));

/** Rules that nobody mined, path rules of each length and constant rules, so that answers need all of the evidence. */
function rulesOf(random, triples) {
  const rules = [];
  const seen = new Set();
  const add = (rule) => {
    const key = JSON.stringify(rule);
    if (seen.has(key)) return;
    seen.add(key);
    const predictions = 3 + random.below(40);
    rules.push({ ...rule, hits: 1 + random.below(predictions), predictions });
  };
  for (let relation = 0; relation < 6; relation += 1) {
    for (let i = 0; i < 9; i += 1)
      add({ kind: 'path', relation, path: Array.from({ length: 1 + (i % 3) }, () => random.below(6)) });
    for (let i = 0; i < 12; i += 1) {
      const [head, along, to] = triples[random.below(triples.length)];
      const body = i % 2 === 0 ? { relation: along, tail: to } : { relation: along + 1, tail: head };
      add({ kind: 'constant', relation, tail: random.below(entities), body });
    }
  }
  return { relationCount: 6, rules };
}

/** How links are judged: other weights for each relation, one of which says what entities are. */
function setsOf(config, random, triples) {
  const sets = defaultSets(config);
  const { temperature } = sets.weights;
  const weights = defaultWeights(6, { temperature, typeRelations: [4] });
  return {
    ...sets,
    weights: { ...weights, relations: weights.relations.map((value) => value + 0.2 * random.normal()) },
    rules: rulesOf(random, triples),
  };
}

/** The profiles that a bundle can have. */
function profilesOf(kind) {
  if (kind === 'complex') return ['fp32', 'fp16'];
  if (Object.hasOwn(others, kind)) return ['fp32'];
  return kind === 'blocks' ? profileNames.filter((name) => name !== 'int8-basis') : profileNames;
}

/** What is said of every third fact. */
function provenancesOf(facts) {
  const stated = [
    { source: 'atlas', confidence: 0.75 },
    { confidence: 0.3, from: '2001' },
    { source: 'atlas', date: '2010', from: '1990-05', until: '2005-01-31' },
    { source: 'atlas' },
  ];
  const triples = facts.filter((_, i) => Math.floor(i / 3) % 3 === 0);
  return {
    stated,
    triples,
    places: Int32Array.from({ length: triples.length / 3 }, (_, i) => i % stated.length),
  };
}

/** How far tensors are moved from their start, at most about twice; the layers of BetaE feed one another, so they move less. */
const distances = { entities: 0.5, coefficients: 4, setAttention: 0.5, setGate: 0.5 };
const ofBetaE = {
  entities: 0.5,
  coefficients: 1,
  setAttention: 0.2,
  hopInput: 0.2,
  hopHidden: 0.2,
  hopOutput: 0.2,
};

/** All tensors away from their start: biases are not 0, and some offsets are negative. */
function moved(kind, start, random) {
  const by = kind.startsWith('betae') ? ofBetaE : distances;
  return Object.fromEntries(
    Object.entries(start).map(([name, values]) => [
      name,
      values.map((value) => value + by[name] * random.normal()),
    ]),
  );
}

for (const kind of kinds.split(',')) {
  const isBlocks = kind === 'blocks';
  const isOther = Object.hasOwn(others, kind);
  const logic = logicNames.includes(kind) ? kind : 'product';
  const config = {
    entities,
    relations: 6,
    ...plainModel,
    dimension: others[kind] ?? 16,
    relationForm: isBlocks || isOther ? kind : 'bases',
    projectionInput: isBlocks ? 'domain' : plainModel.projectionInput,
    bases: 4,
    logic,
    mapping: logic === 'godel' ? 'boundedRectifier' : 'logistic',
    // Between them every way to the direction of an entity.
    entityNormalisation: kind === 'product' ? 'l2' : 'l1',
    score: logic === 'lukasiewicz' ? 'cosine' : 'innerProduct',
  };
  const random = createRandom('determinism', kind);
  const start = initialiseParameters(config, random);
  // Away from the centred start, where layer normalisation scales rounding up.
  const parameters = isOther
    ? moved(kind, start, random)
    : isBlocks
      ? {
          entities: start.entities.map((value) => 6 * value),
          coefficients: start.coefficients.map((value) => 8 * value),
        }
      : {
          ...start,
          entities: start.entities.map((value) => 0.5 + 6 * (value - 0.5)),
          biasBases: start.biasBases.map((value) => value + 0.2 * random.normal()),
        };
  const triples = Array.from({ length: 2 * entities }, () => [
    random.below(entities),
    2 * random.below(3),
    random.below(entities),
  ]);
  const graph = createKnowledgeGraph({
    entityCount: entities,
    relationCount: 6,
    triples: Int32Array.from(triples.flat()),
  });
  const provenances = kind === 'unsure' ? provenancesOf(graph.forwardTriples()) : undefined;
  await exportBundle({
    directory: join(folder, kind),
    name: kind,
    config,
    parameters,
    vocabulary: createVocabulary({ entities: names('e', entities), relations: names('r', 3) }),
    graph,
    ...(provenances === undefined ? {} : { provenances }),
    data: { name: 'nothing', licence: 'CC0-1.0' },
    training: {},
    metrics: {},
    sets: setsOf(config, random.fork('evidence'), triples),
    goldenQueries: randomGoldenQueries(config, 2, random),
    k: 10,
    // Blocks have no bases to store, and other families no codes.
    profiles: profiles.split(',').filter((name) => profilesOf(kind).includes(name)),
    ...(target === undefined ? {} : { target }),
  });
  const manifest = readFileSync(join(folder, kind, 'manifest.json'));
  process.stdout.write(`${kind} ${createHash('sha256').update(manifest).digest('hex')}\n`);
}
