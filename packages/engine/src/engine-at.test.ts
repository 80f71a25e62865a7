import { createKnowledgeGraph } from '@fuzzqe/core';
import { parseQueryText, type Query } from '@fuzzqe/core/query';
import { defaultWeights } from '@fuzzqe/evidence';
import { createVocabulary, type Provenances } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { type Engine, openGraphEngine, type SetsOptions } from './index.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const symmetric = 'http://www.w3.org/2002/07/owl#SymmetricProperty';
const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const vocabulary = createVocabulary({
  entities: named('Ann', 'Bob', 'Carl', 'Dora', 'spouse', symmetric),
  relations: named('spouse', 'parent', type, 'child'),
});
const of = (...triples: readonly (readonly [number, number, number])[]): Int32Array =>
  Int32Array.from(triples.flat());
const facts = createKnowledgeGraph({
  entityCount: 6,
  relationCount: 8,
  triples: of([0, 0, 1], [0, 2, 2], [1, 2, 2], [1, 2, 3], [2, 6, 0], [4, 4, 5]),
});
/** A child of a parent: child(x, y) if parent(y, x). */
const rules = {
  relationCount: 8,
  rules: [{ kind: 'path', relation: 6, path: [3], hits: 90, predictions: 95 }],
} as const;
const evidence = { weights: defaultWeights(8), rules };
/** Ann and Bob were spouses in the nineties, and Bob has been a parent of Dora since June 2001. */
const provenances: Provenances = {
  stated: [{ source: 'register', from: '1990', until: '2000' }, { from: '2001-06' }],
  triples: of([0, 0, 1], [1, 2, 3]),
  places: Int32Array.of(0, 1),
};
const query = (text: string): Query => parseQueryText(text, vocabulary);
const open = (more: { readonly provenances?: Provenances } = { provenances }): Promise<Engine> =>
  openGraphEngine({ vocabulary, facts, evidence, cacheBytes: 2 ** 20, ...more });
const recorded = async (engine: Engine, text: string, at?: string): Promise<string> => {
  const { answers } = await engine.answer(query(text), at === undefined ? {} : { at });
  return answers
    .filter(({ state }) => state === 'recorded')
    .map(({ key }) => key)
    .sort()
    .join(' ');
};
const degree = async (engine: Engine, text: string, key: string, at?: string): Promise<number> => {
  const { answers } = await engine.answer(query(text), {
    ...{ k: 6, minDegree: 0 },
    ...(at === undefined ? {} : { at }),
  });
  return answers.find((each) => each.key === key)?.degree ?? 0;
};

describe('a question with a date', () => {
  it('is answered by the imported facts that hold then', async () => {
    const engine = await open();
    for (const [at, spouse] of [
      ['1989-12-31T23:59:59Z', ''],
      ['1990', 'Bob'],
      ['1999-12-31', 'Bob'],
      ['2000', ''],
      ['2000-01-01T01:00+02:00', 'Bob'],
    ] as const)
      expect([at, await recorded(engine, 'project(spouse, Ann)', at)]).toEqual([at, spouse]);
    expect(await recorded(engine, 'project(spouse, Ann)')).toBe('Bob');
    // A fact without bounds always holds.
    expect(await recorded(engine, 'project(parent, Bob)', '2001-05-31')).toBe('Carl');
    expect(await recorded(engine, 'project(parent, Bob)', '2001-06')).toBe('Carl Dora');
    expect(await recorded(engine, 'project(parent^-1, Dora)', '0044')).toBe('');
    const answer = await engine.answer(query('project(spouse, Ann)'), { at: '1990' });
    expect(answer).toMatchObject({ at: '1990', warnings: [] });
    expect(await engine.answer(query('project(spouse, Ann)'))).not.toHaveProperty('at');
    await engine.close();
  });

  it('has no evidence from facts that do not hold: no rule, no axiom', async () => {
    const engine = await open();
    // Dora is a child of Bob by the rule, whose premise is a fact since 2001.
    const child = (at?: string) => degree(engine, 'project(child, Dora)', 'Bob', at);
    const other = (at?: string) => degree(engine, 'project(child, Carl)', 'Bob', at);
    const [now, before] = [await child('2002'), await child('2000')];
    expect(now).toBe(await child());
    expect(before).toBeLessThan(now / 2);
    expect(await other('2000')).toBe(await other());
    // Spouses are so both ways: Ann is the spouse of Bob by the axiom.
    const ann = (at?: string) => degree(engine, 'project(spouse, Bob)', 'Ann', at);
    expect(await ann('1995')).toBe(Math.fround(0.999));
    expect(await ann('2005')).toBeLessThan(0.9);
    expect(await ann()).toBe(Math.fround(0.999));
    await engine.close();
  });

  it('is explained, filtered and answered among unrecorded entities by the facts of then', async () => {
    const engine = await open();
    const ask = (text: string, options: SetsOptions) => engine.answer(query(text), options);
    const { answers } = await ask('project(parent, Bob)', { at: '2002', explain: true });
    const dora = answers.find(({ key }) => key === 'Dora')!.links![0]!;
    expect(dora).toMatchObject({ recorded: true, provenance: { from: '2001-06' } });
    const then = await ask('project(parent, Bob)', { at: '2000', explain: true, k: 6, minDegree: 0 });
    for (const { key, links } of then.answers)
      if (key === 'Dora') for (const { recorded: isRecorded } of links!) expect(isRecorded).toBe(false);
    const filter = { query: query('project(spouse, Ann)') };
    const keys = async (options: SetsOptions) =>
      (await ask('or(project(parent^-1, Carl), Dora)', { ...options, filter })).answers.map(({ key }) => key);
    expect(await keys({ at: '1995' })).toEqual(['Bob']);
    expect(await keys({ at: '2005' })).toEqual([]);
    const excluded = await ask('project(parent, Bob)', { at: '2002', exclude: 'known', k: 6, minDegree: 0 });
    expect(excluded.answers.map(({ key }) => key)).not.toContain('Dora');
    await engine.close();
  });

  it('follows changes, of which each epoch has its own validity', async () => {
    const engine = await open();
    const spouse = (at?: string) => recorded(engine, 'project(spouse, Ann)', at);
    expect(await spouse('1995')).toBe('Bob');
    const seconds = (text: string): number => Date.parse(text) / 1000;
    const validities = [seconds('2010-01-01'), Number.POSITIVE_INFINITY];
    const { epoch } = await engine.changeFacts({ added: of([1, 0, 0]), validities });
    // The other way round it is another fact.
    expect([epoch, await spouse('1995')]).toEqual([1, 'Bob']);
    const later = await engine.changeFacts({ added: of([0, 0, 1]), validities });
    // Nothing but the validity changes.
    expect(later).toMatchObject({ epoch: 2, added: 0, removed: 0 });
    expect([await spouse('1995'), await spouse('2010')]).toEqual(['', 'Bob']);
    expect(await engine.changeFacts({ added: of([0, 0, 1]), validities })).toMatchObject({ epoch: 2 });
    // Several changes at once are one epoch.
    const changes = [
      { added: of([0, 0, 3]), validities: [Number.NEGATIVE_INFINITY, 0] },
      { added: of([0, 0, 1]) },
      { added: of([0, 0, 2]), validities: [0, 0] },
    ];
    await Promise.all(changes.map((each) => engine.changeFacts(each)));
    expect(engine.epoch).toBe(3);
    expect([await spouse(), await spouse('1969'), await spouse('1970')]).toEqual([
      'Bob Carl Dora',
      'Bob Dora',
      'Bob',
    ]);
    await engine.changeFacts({ removed: of([0, 0, 3]) });
    await engine.changeFacts({ added: of([0, 0, 3]) });
    expect(await spouse('1970')).toBe('Bob Dora');
    await engine.close();
  });

  it('keeps sets of more periods than it has room for apart', async () => {
    const engine = await open();
    const validities = [0, 3600];
    for (let year = 0; year < 8; year += 1)
      await engine.changeFacts({
        added: of([0, 0, year % 4]),
        validities: validities.map((at) => at + year),
      });
    const at = (second: number) => `1970-01-01T00:00:0${second}Z`;
    const found = await Promise.all(
      [0, 4, 5, 6, 7, 4, 7, 5].map((second) => recorded(engine, 'project(spouse, Ann)', at(second))),
    );
    const some = ['Ann', 'Ann Bob', 'Ann Bob Carl', 'Ann Bob Carl Dora'];
    expect(found).toEqual(['', ...some, some[0], some[3], some[1]]);
    await engine.close();
  });

  it('says so if no fact has a validity', async () => {
    const engine = await open({});
    const { warnings, answers } = await engine.answer(query('project(spouse, Ann)'), { at: '1800' });
    expect(warnings).toEqual([expect.stringMatching(/^no-validity: /)]);
    expect(answers[0]).toMatchObject({ key: 'Bob', state: 'recorded' });
    await engine.close();
  });

  it.each(['', 'soon', '2001-13', '31.5.2001', 2001, null])('refuses %j as a date', async (at) => {
    const engine = await open();
    const options = { at } as SetsOptions;
    await expect(engine.answer(query('project(spouse, Ann)'), options)).rejects.toMatchObject({
      ...{ code: 'usage', path: '$.at' },
      message: expect.stringContaining('expected a date as 2001'),
    });
    await engine.close();
  });
});
