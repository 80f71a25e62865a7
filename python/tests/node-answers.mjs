/**
 * Writes what Node's engine says of a bundle, for the tests of the Python package: node-answers.mjs BUNDLE FILE
 *
 * Of every profile, of queries of all structures and of random trees: each in the three notations, with its answers in both
 * modes, all and without the known ones, and with the links that they rest on. Queries by sets whose members are too near to tell are left out. And what it says
 * of texts that are no queries, and what it answers after changes of facts, by all facts and by those of two dates.
 */
import { writeFileSync } from 'node:fs';
import { createRandom } from '@fuzzqe/core';
import {
  formatQuery,
  instantiate,
  matchStructure,
  parseQueryText,
  queryToBetaE,
  readQuery,
  structureNames,
  structures,
  writeQuery,
} from '@fuzzqe/core/query';
import { expectedTails, membersAreDecided } from '@fuzzqe/core/sets';
import { changeable, createEngine, createLocalRanker, openBundle, openEngine } from '@fuzzqe/engine';
import { engineFacts, readDelta } from '@fuzzqe/facts/apply';
import { structuresOf } from '@fuzzqe/model';
import { folderSource, nodeSessions } from '@fuzzqe/serve';

const [bundle, file] = process.argv.slice(2);
const each = 2;
const trees = 12;
const k = 10;
const explained = 3;

const random = createRandom('python', 'answers');

const kinds = ['entity', 'project', 'project', 'and', 'or', 'not'];

function randomTree(depth, bounds) {
  const kind = depth === 0 ? 'entity' : kinds[random.below(kinds.length)];
  const inner = () => randomTree(depth - 1, bounds);
  if (kind === 'entity') return { op: 'entity', entity: random.below(bounds.entityCount) };
  if (kind === 'project')
    return { op: 'project', relation: random.below(bounds.relationCount), from: inner() };
  if (kind === 'not') return { op: 'not', operand: inner() };
  return { op: kind, operands: Array.from({ length: 2 + random.below(2) }, inner) };
}

function drawQueries(bounds) {
  const ids = (count, below) => Array.from({ length: count }, () => random.below(below));
  const ofStructures = structureNames.flatMap((name) =>
    Array.from({ length: each }, () => {
      const { template, anchors, relations } = structures[name];
      return instantiate(template, ids(anchors, bounds.entityCount), ids(relations, bounds.relationCount));
    }),
  );
  return [...ofStructures, ...Array.from({ length: trees }, () => randomTree(4, bounds))];
}

/** Whether runtimes that round otherwise choose the same members in every projection of a set. */
async function isDecided(engine, query) {
  const { projection } = engine.manifest.sets;
  const { relative } = engine.manifest.profiles[engine.profile].tolerances.degree;
  const visit = async (node) => {
    if (node.op === 'entity') return true;
    if (node.op === 'not') return visit(node.operand);
    if (node.op !== 'project') {
      for (const operand of node.operands) if (!(await visit(operand))) return false;
      return true;
    }
    if (node.from.op === 'entity') return true;
    const [degrees] = await engine.degrees([node.from]);
    const expected = expectedTails(engine.facts, node.relation);
    return membersAreDecided(degrees, expected, projection, relative) && (await visit(node.from));
  };
  return visit(query);
}

/** Most families that are not FuzzQE embed queries of some structures only. */
const isEmbedded = (model, query) =>
  ['bases', 'blocks', 'betaeDm'].includes(model.relationForm) ||
  structuresOf(model).includes(matchStructure(query)?.structure.name);

async function answersOf(engine, query, dates = []) {
  const runs = [];
  const dated = dates.map((at) => ({ mode: 'sets', minDegree: 0, at }));
  const ways = [
    ...((await isDecided(engine, query))
      ? [{ mode: 'sets', minDegree: 0 }, { mode: 'sets', minDegree: 0.5 }, ...dated]
      : []),
    ...(isEmbedded(engine.manifest.model, query) ? [{ mode: 'embedding' }] : []),
  ];
  const entitiesOf = (answers) =>
    answers.map(({ id, key, label, known, state, degree, score }) =>
      state === undefined
        ? { id, key, label, known, value: score }
        : { id, key, label, state, value: degree },
    );
  for (const way of ways)
    for (const exclude of ['none', 'known']) {
      const { answers, suggestions = [], warnings } = await engine.answer(query, { ...way, exclude, k });
      runs.push({
        ...way,
        exclude,
        answers: entitiesOf(answers),
        suggestions: entitiesOf(suggestions),
        warnings,
      });
    }
  return runs;
}

/** Why the best answers to a query follow; none where members are too near to tell. */
async function explanationsOf(engine, query) {
  if (!(await isDecided(engine, query))) return [];
  const { answers } = await engine.answer(query, { mode: 'sets', minDegree: 0, k: explained, explain: true });
  return answers.map(({ id, links }) => ({
    id,
    links: links.map(({ head, relation, tail, recorded, degree, reasons = null }) => ({
      ids: [head.id, relation.id, tail.id],
      names: [head.label, relation.label, tail.label],
      recorded,
      degree,
      reasons,
    })),
  }));
}

/** Batches of changes: facts that come, go, are rejected, are less than certain or hold for a time, in both directions of time. */
async function drawDelta(engine) {
  const { vocabulary, facts } = engine;
  const triples = facts.forwardTriples();
  const keysOf = (head, relation, tail) => ({
    head: vocabulary.entity(head).key,
    relation: vocabulary.relation(relation).key,
    tail: vocabulary.entity(tail).key,
  });
  const known = () => triples.subarray(3 * random.below(triples.length / 3)).subarray(0, 3);
  const ids = () => [
    random.below(facts.entityCount),
    2 * random.below(facts.relationCount / 2),
    random.below(facts.entityCount),
  ];
  /** The likeliest link of a head that is not recorded. */
  const likely = async () => {
    const [head, relation] = known();
    const query = { op: 'project', relation, from: { op: 'entity', entity: head } };
    const { answers, suggestions } = await engine.answer(query, { k: 1, exclude: 'known', minDegree: 0 });
    return [head, relation, [...answers, ...suggestions][0].id];
  };
  const many = async (count, draw, said) => {
    const changes = [];
    for (let i = 0; i < count; i += 1) changes.push({ ...said(i), ...keysOf(...(await draw())) });
    return changes;
  };
  const validities = [{ from: '2001' }, { until: '2001' }, { from: '1999-12-31', until: '2005-06' }];
  const add = (more) => (i) => ({ does: 'add', ...more(i) });
  const batches = [
    [
      ...(await many(
        30,
        ids,
        add(() => ({})),
      )),
      ...(await many(
        20,
        ids,
        add((i) => ({ confidence: (i + 1) / 21, source: 'atlas' })),
      )),
      ...(await many(20, known, () => ({ does: 'remove' }))),
      ...(await many(
        10,
        known,
        add(() => ({ confidence: 0.6 })),
      )),
    ],
    [
      ...(await many(10, likely, () => ({ does: 'reject' }))),
      ...(await many(5, known, () => ({ does: 'reject' }))),
      ...(await many(
        30,
        ids,
        add((i) => validities[i % 3]),
      )),
      ...(await many(
        15,
        known,
        add((i) => ({ ...validities[i % 3], ...(i % 2 ? { confidence: 0.8 } : {}) })),
      )),
    ],
    // A fact that came goes again, and one that went comes back.
    [],
  ];
  const [first] = batches;
  batches[2].push(
    { ...first[0], does: 'remove' },
    { ...first[50], does: 'add' },
    { ...first[30], confidence: 1 },
  );
  return batches.map((changes, i) => JSON.stringify({ epoch: i + 3, at: '2026-11-28T12:00:00Z', changes }));
}

/** What the engine answers after a delta. */
async function deltaOf(source, profile, queries) {
  const bundle = changeable(await openBundle(source, { profile }));
  const sessions = nodeSessions(source.location, { threads: 1 });
  const engine = createEngine(bundle, createLocalRanker(bundle, { sessions }));
  const lines = await drawDelta(engine);
  const body = (async function* () {
    yield new TextEncoder().encode(`${lines.join('\n')}\n`);
  })();
  await engineFacts(engine).replay(readDelta(body, 'delta'), { to: Number.POSITIVE_INFINITY, atOnce: 1e6 });
  const cases = [];
  for (const query of queries)
    cases.push({
      json: writeQuery(query, engine.vocabulary),
      runs: await answersOf(engine, query, ['2000', '2003-02-01']),
      explanations: await explanationsOf(engine, query),
    });
  await engine.close();
  return { profile, lines, cases };
}

/** What is said of a query that is none. */
function refusal(read) {
  try {
    read();
  } catch ({ code, path, message, hint }) {
    return { code, path, message, hint };
  }
  throw new Error('expected an error');
}

function refusals(vocabulary) {
  const e = JSON.stringify(vocabulary.entity(0).key);
  const r = JSON.stringify(vocabulary.relation(0).key);
  const texts = [
    '',
    '  ',
    `${e} ${e}`,
    `project(${r} ${e})`,
    `project(${r}, ${e}`,
    `project(${r}, ${e}))`,
    `and(${e})`,
    'and()',
    'not()',
    `not(${e}, ${e})`,
    `porject(${r}, ${e})`,
    `project(${e}`,
    `and(\n  ${e},\n  project("no such relation", ${e}))`,
    `"no such entity"`,
    `${e}^-1`,
    `project(${r}^1, ${e})`,
    `project("x^-1", ${e})`,
    '#999999999',
    'project(#999, #0)',
    '#',
    '"open',
    '"\\x"',
    '<not an iri',
    '(a)',
    `and(${e}, ?)`,
    `${'not('.repeat(70)}${e}${')'.repeat(70)}`,
    'nosuchprefix:thing',
  ];
  const values = [
    3,
    null,
    [],
    {},
    { entity: true },
    { entity: 0, project: 1 },
    { entity: -1 },
    { entity: 1.5 },
    { project: 0 },
    { project: 'no such relation', from: { entity: 0 } },
    { project: 0, from: { and: [{ entity: 0 }] } },
    { and: { entity: 0 } },
    { or: [{ entity: 0 }, 'and('] },
    { porject: 0, from: 0 },
    { not: { entity: 'no such entity' } },
  ];
  return {
    texts: texts.map((text) => ({ text, ...refusal(() => parseQueryText(text, vocabulary)) })),
    values: values.map((value) => ({ value, ...refusal(() => readQuery(value, vocabulary)) })),
  };
}

const profiles = {};
let queries;
let said;
const source = folderSource(bundle);
for (const profile of Object.keys(
  JSON.parse(new TextDecoder().decode(await source.read('manifest.json'))).profiles,
)) {
  const engine = await openEngine({ source, sessions: nodeSessions(bundle, { threads: 1 }), profile });
  const { vocabulary, facts } = engine;
  queries ??= drawQueries(facts);
  said ??= refusals(vocabulary);
  profiles[profile] = [];
  for (const query of queries)
    profiles[profile].push({
      text: formatQuery(query, vocabulary),
      json: writeQuery(query, vocabulary),
      tuple: queryToBetaE(query),
      runs: await answersOf(engine, query),
      explanations: await explanationsOf(engine, query),
    });
  await engine.close();
}
const [profile] = Object.keys(profiles);
const manifest = JSON.parse(new TextDecoder().decode(await source.read('manifest.json')));
const delta = (manifest.modes ?? ['sets']).includes('sets') ? await deltaOf(source, profile, queries) : null;
writeFileSync(file, JSON.stringify({ k, profiles, refusals: said, delta }));
