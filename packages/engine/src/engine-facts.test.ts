import {
  asEntityId,
  asRelationId,
  changedFacts,
  createKnowledgeGraph,
  createRandom,
  FuzzError,
  type KnowledgeGraph,
} from '@fuzzqe/core';
import { entity, parseQueryText, project, type Query } from '@fuzzqe/core/query';
import { defaultWeights, type RuleSet } from '@fuzzqe/evidence';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import {
  changeable,
  createEngine,
  createLocalRanker,
  type FactsChanged,
  type OpenBundle,
  openBundle,
  openGraphEngine,
} from './index.ts';
import { memoryBundle, referenceSessions } from './testing/index.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const names = ['Ann', 'Bob', 'Carl', 'Dora', 'Emil', 'Fay'];
const inverseOf = 'http://www.w3.org/2002/07/owl#inverseOf';
const vocabulary = createVocabulary({
  entities: named(...names, 'spouse', 'parent', 'child'),
  relations: named('spouse', 'parent', 'child', inverseOf),
});
const graphOf = (...triples: readonly (readonly [number, number, number])[]): KnowledgeGraph =>
  createKnowledgeGraph({ entityCount: 9, relationCount: 8, triples: Int32Array.from(triples.flat()) });
const of = (...triples: readonly (readonly [number, number, number])[]): Int32Array =>
  Int32Array.from(triples.flat());

/** Ann and Bob are spouses both ways, Carl and Dora one way; parent is the inverse of child. */
const facts = graphOf([0, 0, 1], [1, 0, 0], [2, 0, 3], [4, 2, 0], [7, 6, 8]);
/** spouse(X, Y) ← spouse(Y, X). */
const rules: RuleSet = {
  relationCount: 8,
  rules: [{ kind: 'path', relation: 0, path: [1], hits: 60, predictions: 61 }],
};
const evidence = { weights: defaultWeights(8), rules };
const parse = (text: string): Query => parseQueryText(text, vocabulary);
/** A bundle with a model, in memory. */
async function memory() {
  const { source, config, parameters } = await memoryBundle();
  const bundle = await openBundle(source);
  return { bundle: changeable(bundle), sessions: referenceSessions(config, parameters) };
}
const open = () => openGraphEngine({ vocabulary, facts, evidence, cacheBytes: 2 ** 20 });

describe('changeFacts', () => {
  it('answers by facts that came, and no longer by facts that went', async () => {
    const engine = await open();
    const spouses = async (name: string) => {
      const { answers, suggestions } = await engine.answer(parse(`project(spouse, ${name})`));
      return [...answers, ...suggestions].map(({ key, state }) => `${key} ${state}`).slice(0, 1);
    };
    expect(await spouses('Dora')).toEqual(['Carl predicted']);
    expect(engine.epoch).toBe(0);
    const changed = await engine.changeFacts({ added: of([3, 0, 4]), removed: of([0, 0, 1]) });
    expect(changed).toEqual({ epoch: 1, added: 1, removed: 1, rejected: 0 });
    expect(engine.epoch).toBe(1);
    expect(engine.facts.has(3, 0, 4)).toBe(true);
    expect(await spouses('Dora')).toEqual(['Emil recorded']);
    // The rule fires by a fact that came, and by one that is left.
    expect(await spouses('Emil')).toEqual(['Dora predicted']);
    expect(await spouses('Ann')).toEqual(['Bob predicted']);
    await engine.close();
  });

  it('has no answer that was rejected, until the rejection is taken back', async () => {
    const engine = await open();
    const query = parse('project(spouse, Dora)');
    const carl = async () => {
      const [sets] = await engine.rankSets([query]);
      return Array.from(sets!.ids, (id, i) => [id, sets!.degrees[i]!] as const).find(([id]) => id === 2);
    };
    const before = await carl();
    expect(before?.[1]).toBeGreaterThan(0.1);
    expect(await engine.changeFacts({ rejected: of([3, 0, 2]) })).toMatchObject({ epoch: 1, rejected: 1 });
    expect(await carl()).toBeUndefined();
    const { answers, suggestions } = await engine.answer(query);
    expect([...answers, ...suggestions].map(({ key }) => key)).not.toContain('Carl');
    expect(await engine.changeFacts({ removed: of([2, 1, 3]) })).toMatchObject({ removed: 1, rejected: 0 });
    expect(await carl()).toEqual(before);
    // A recorded fact goes with its rejection.
    expect(await engine.changeFacts({ rejected: of([0, 0, 1]) })).toMatchObject({ removed: 0, rejected: 1 });
    expect(engine.facts.has(0, 0, 1)).toBe(false);
    await engine.close();
  });

  it('costs what its facts make it cost, also along a relation and from an entity that are new', async () => {
    const engine = await open();
    const cost = (relation: number, from: number) => {
      const link = project(asRelationId(relation), entity(asEntityId(from)));
      return engine.costOf(project(asRelationId(relation), link), { filter: { query: link } });
    };
    const before = cost(0, 0);
    const heads = engine.facts.entityCount;
    const more = Array.from({ length: heads }, (_, tail) => [0, 0, tail]).flat();
    await engine.changeFacts({ added: Int32Array.from(more) });
    const after = cost(0, 0);
    expect(after).toBeGreaterThan(before);
    await engine.changeFacts({ removed: Int32Array.from(more) });
    expect(cost(0, 0)).toBeLessThan(after);
    await engine.changeNames({
      entities: [{ key: 'new', label: 'new' }],
      relations: [{ key: 'also new', label: 'also new' }],
    });
    const relation = engine.facts.relationCount - 2;
    const empty = cost(relation, heads);
    await engine.changeFacts({ added: Int32Array.from(more.map((id, i) => [heads, relation, id][i % 3]!)) });
    expect(cost(relation, heads)).toBeGreaterThan(empty);
    await engine.close();
  });

  it('counts no epoch where nothing changes, and says so', async () => {
    const engine = await open();
    const same = { added: of([0, 0, 1]), removed: of([5, 0, 5]) };
    expect(await engine.changeFacts(same)).toEqual({ epoch: 0, added: 0, removed: 0, rejected: 0 });
    expect(await engine.changeFacts({ added: of([5, 0, 5]) })).toMatchObject({ epoch: 1, added: 1 });
    await engine.close();
  });

  it('makes of changes that come together what they make one after the other, with the counts of each', async () => {
    const random = createRandom('changes', 1);
    const draw = (count: number): Int32Array =>
      Int32Array.from({ length: 3 * count }, (_, i) => random.below(i % 3 === 1 ? 8 : 9));
    const changes = Array.from({ length: 40 }, () => ({
      added: draw(random.below(5)),
      removed: draw(random.below(9)),
      rejected: draw(random.below(4)),
    }));
    const [together, apart] = [await open(), await open()];
    const atOnce = await Promise.all(changes.map((each) => together.changeFacts(each)));
    const counts: Omit<FactsChanged, 'epoch'>[] = [];
    for (const each of changes) {
      const { epoch: _, ...made } = await apart.changeFacts(each);
      counts.push(made);
    }
    expect(atOnce.map(({ epoch: _, ...made }) => made)).toEqual(counts);
    expect(counts.filter(({ removed }) => removed > 0).length).toBeGreaterThan(5);
    expect(counts.filter(({ rejected }) => rejected > 0).length).toBeGreaterThan(5);
    expect(together.facts.forwardTriples()).toEqual(apart.facts.forwardTriples());
    expect(together.facts.confidences).toEqual(apart.facts.confidences);
    expect([together.epoch, apart.epoch > 20]).toEqual([1, true]);
    await Promise.all([together.close(), apart.close()]);
  });

  it('entails anew what declared axioms entail', async () => {
    const engine = await open();
    const children = async () => (await engine.degrees([parse('project(child, Bob)')]))[0]![5];
    const before = await children();
    expect(before).toBeLessThan(0.9);
    await engine.changeFacts({ added: of([5, 2, 1]) });
    expect(await children()).toBeCloseTo(0.999, 6);
    await engine.changeFacts({ removed: of([7, 6, 8]) });
    expect(await children()).toBeLessThan(0.999);
    await engine.close();
  });

  it('makes one change after the other, each whole, and refuses facts of other graphs without an effect', async () => {
    const engine = await open();
    const changes = [of([5, 0, 0]), of([5, 0, 1]), of([5, 9, 2]), of([5, 0, 3])];
    const done = await Promise.allSettled(changes.map((added) => engine.changeFacts({ added })));
    // What comes at once makes one epoch.
    expect(done.map((each) => (each.status === 'fulfilled' ? each.value.epoch : each.reason.code))).toEqual([
      1,
      1,
      'data',
      1,
    ]);
    expect([...engine.facts.tails(5, 0)]).toEqual([0, 1, 3]);
    await engine.close();
    await expect(engine.changeFacts({ added: of([5, 0, 2]) })).rejects.toMatchObject({ code: 'runtime' });
  });

  it('is refused by a ranker whose facts stay as opened', async () => {
    const { bundle, sessions } = await memory();
    const { follow: _follow, ...ranker } = createLocalRanker(bundle, { sessions });
    const engine = createEngine(bundle, ranker);
    const refused = await engine.changeFacts({ added: of([0, 0, 1]) }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(FuzzError);
    expect(refused).toMatchObject({ code: 'usage' });
    await engine.close();
  });
});

describe('an engine with a model after changes', () => {
  it('answers as if it had been opened with the changed facts', async () => {
    const { bundle, sessions } = await memory();
    const openWith = (from: OpenBundle) =>
      createEngine(from, createLocalRanker(from, { sessions, cacheBytes: 2 ** 20 }));
    const triples = bundle.facts.forwardTriples();
    const changes = { removed: triples.slice(0, 90), added: of([0, 0, 3], [1, 0, 2], [4, 2, 1]) };
    const engine = openWith(bundle);
    const queries = [0, 1, 2, 3, 4].flatMap((head): Query[] =>
      ['r0', 'r1', 'r2^-1'].map((relation) =>
        parseQueryText(`project(${relation}, project(r0, e${head}))`, engine.vocabulary),
      ),
    );
    const before = await engine.degrees(queries);
    await engine.changeFacts(changes);
    const other = openWith({ ...bundle, facts: changedFacts(bundle.facts, changes).graph });
    const after = await engine.degrees(queries);
    expect(after).toEqual(await other.degrees(queries));
    expect(after).not.toEqual(before);
    expect(await engine.describeEntity(0)).toEqual(await other.describeEntity(0));
    await Promise.all([engine.close(), other.close()]);
  });

  it('answers a query under way by the facts with which it began', async () => {
    const { bundle, sessions } = await memory();
    const ranker = createLocalRanker(bundle, { sessions });
    let hold: Promise<void> | undefined;
    const engine = createEngine(bundle, {
      ...ranker,
      get ready() {
        return ranker.ready;
      },
      async rank(batch, limits) {
        await hold;
        return ranker.rank(batch, limits);
      },
    });
    const head = bundle.facts.headsOf(0)[0]!;
    const known = bundle.facts.tails(head, 0)[0]!;
    const query = project(asRelationId(0), entity(asEntityId(head)));
    const remove = { removed: of([head, 0, known]) };
    let release = (): void => undefined;
    hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    const early = engine.answer(query, { k: engine.facts.entityCount, filter: { query } });
    await engine.changeFacts(remove);
    const late = engine.answer(query, { k: engine.facts.entityCount });
    release();
    const stateIn = async (answer: typeof early): Promise<string | undefined> =>
      (await answer).answers.find(({ id }) => id === known)?.state;
    // Its filter and its ranking are two calls of the ranker, both after the change.
    expect(await stateIn(early)).toBe('recorded');
    expect(await stateIn(late)).not.toBe('recorded');
    await engine.close();
  });
});

it('mode embedding leaves a rejected link out of questions with one relation, and no entity out of others', async () => {
  const { bundle, sessions } = await memory();
  const engine = createEngine(bundle, createLocalRanker(bundle, { sessions }));
  const link = project(asRelationId(0), entity(asEntityId(2)));
  const all = { k: engine.facts.entityCount };
  const idsOf = async (query: Query): Promise<number[]> => [...(await engine.rank([query], all))[0]!.ids];
  const [before, longer] = [await idsOf(link), await idsOf(project(asRelationId(1), link))];
  const rejected = before.find((id) => !engine.facts.has(2, 0, id))!;
  await engine.changeFacts({ rejected: of([2, 0, rejected]) });
  expect(await idsOf(link)).toEqual(before.filter((id) => id !== rejected));
  expect(await idsOf(project(asRelationId(1), link))).toEqual(longer);
  const { answers } = await engine.answer(link, { mode: 'embedding', ...all });
  expect(answers.map(({ id }) => id)).not.toContain(rejected);
  await engine.changeFacts({ removed: of([2, 0, rejected]) });
  expect(await idsOf(link)).toEqual(before);
  await engine.close();
});

describe('changeNames', () => {
  it('makes entities that answer at once, by the model once they are folded in, and relations that only facts answer', async () => {
    const { bundle, sessions } = await memory();
    const engine = createEngine(bundle, createLocalRanker(bundle, { sessions }));
    const { entityCount, relationCount } = engine.facts;
    const made = await engine.changeNames({
      entities: [{ key: 'new one', label: 'New One' }],
      relations: [{ key: 'likes', label: 'likes' }],
    });
    expect(made).toMatchObject({ entityCount: entityCount + 1, relationCount: relationCount + 2 });
    const id = engine.vocabulary.findEntity('new one');
    expect(id).toBe(entityCount);
    await engine.changeFacts({
      added: of([id, 0, 3], [id, 2, 4], [5, 0, id], [id, relationCount, 3]),
    });
    const [likes, known] = [relationCount, 0].map((relation) =>
      project(asRelationId(relation), entity(asEntityId(id))),
    ) as [Query, Query];
    const recordedOf = async (query: Query) =>
      (await engine.answer(query)).answers
        .filter(({ state }) => state === 'recorded')
        .map(({ id: each }) => each);
    expect(await recordedOf(likes)).toEqual([3]);
    expect(await recordedOf(known)).toEqual([3]);
    expect(await recordedOf(project(asRelationId(0), entity(asEntityId(5))))).toContain(id);
    await engine.folded();
    const all = { k: entityCount + 1 };
    const [ranking] = await engine.rank([known], all);
    expect(ranking!.ids).toHaveLength(entityCount + 1);
    const [toNew] = await engine.rank([project(asRelationId(0), entity(asEntityId(5)))], all);
    expect([...toNew!.ids]).toContain(id);
    for (const scores of [ranking!.scores, toNew!.scores]) expect(scores.every(Number.isFinite)).toBe(true);
    await expect(engine.rank([likes])).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining('mode sets'),
    });
    await expect(engine.answer(likes, { mode: 'embedding' })).rejects.toMatchObject({ code: 'usage' });
    await expect(engine.embed(likes)).rejects.toMatchObject({ code: 'usage' });
    expect((await engine.degrees([likes, known])).map(({ length }) => length)).toEqual([
      entityCount + 1,
      entityCount + 1,
    ]);
    await engine.close();
  });

  it('makes a relation that rules of its facts answer, which says so, until its facts are gone', async () => {
    const engine = await open();
    const people = Array.from({ length: 30 }, (_, i) => ({ key: `p${i}`, label: `P${i}` }));
    await engine.changeNames({ entities: people, relations: [{ key: 'raises', label: 'raises' }] });
    const [raises, first] = [8, 9];
    // Each raises the child; the last child is not recorded as raised.
    const pairs = Array.from({ length: 15 }, (_, i) => [first + i, first + 15 + i] as const);
    await engine.changeFacts({ added: of(...pairs.map(([parent, child]) => [child, 2, parent] as const)) });
    const raised = of(...pairs.slice(0, 14).map(([parent, child]) => [parent, raises, child] as const));
    await engine.changeFacts({ added: raised });
    const query = project(asRelationId(raises), entity(asEntityId(first + 14)));
    const { answers, suggestions, warnings } = await engine.answer(query, { explain: true, minDegree: 0.3 });
    const [best] = [...answers, ...suggestions];
    expect(best).toMatchObject({ key: 'p29', state: 'predicted' });
    expect(best!.degree).toBeGreaterThan(0.3);
    expect(best!.links![0]!.reasons!.rules[0]!.facts).toMatchObject([
      { relation: { key: 'parent^-1' }, tail: { key: 'p29' } },
    ]);
    expect(warnings).toEqual([expect.stringMatching(/^new-relation: "raises" came after .* 14 facts/)]);
    // An answer along another relation warns of nothing.
    expect((await engine.answer(parse('project(spouse, Ann)'))).warnings).toEqual([]);
    expect([engine.trainedRelations, engine.facts.relationCount]).toEqual([8, 10]);
    await engine.changeFacts({ removed: raised });
    const gone = await engine.answer(query, { explain: true });
    expect([...gone.answers, ...gone.suggestions]).toEqual([]);
    expect(gone.warnings[0]).toMatch(/0 facts/);
    await engine.close();
  });

  it('renames without an epoch, and changes nothing for a name that is none', async () => {
    const engine = await open();
    await engine.changeNames({ entities: [{ key: 'Ann', label: 'Anna' }] });
    expect([engine.epoch, engine.vocabulary.findEntity('Anna')]).toEqual([0, 0]);
    await expect(engine.changeNames({ entities: [{ key: '', label: 'x' }] })).rejects.toMatchObject({
      code: 'data',
    });
    expect([engine.vocabulary.entityCount, engine.facts.entityCount]).toEqual([9, 9]);
    await engine.close();
  });
});
