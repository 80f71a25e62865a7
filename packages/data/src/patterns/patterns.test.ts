import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { planPattern, type Term } from '@fuzzqe/core/query';
import { answerPattern, createSetLogic, defaultProjection, recordedState } from '@fuzzqe/core/sets';
import { createVocabulary } from '@fuzzqe/names';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AnsweredPattern,
  byType,
  copyQueries,
  efo1Names,
  efo1Types,
  importQuerySet,
  loadCountries,
  openPatterns,
  patternFileOf,
  patternsToJsonLines,
  patternType,
  readPatterns,
  samplePatternSet,
  samplePatterns,
  somePatterns,
  writePatternSet,
} from '../index.ts';
import { type Fact, smallEntityCount, smallGraphs } from '../testing/small-graphs.ts';
import { isRedundant, patternName, returns } from './pattern-rules.ts';
import { atomsOf, type PatternAtom } from './pattern-type.ts';
import { recordedAnswers } from './recorded-answers.ts';

const { known, all, smaller, larger } = smallGraphs('patterns', 300);
const sample = (name: (typeof efo1Names)[number], seed = 'patterns', count = 8) =>
  samplePatterns({
    ...{ type: efo1Types[name], count, smaller, larger, maxAnswers: 20, patience: 20_000 },
    random: createRandom(seed, name),
  });

/** The answers by the definition: all assignments, one after the other, over plain lists. */
function bruteForce(facts: ReadonlySet<string>, { pattern }: AnsweredPattern): number[] {
  const atoms = atomsOf(pattern);
  const values: number[] = [];
  const idOf = (term: Term): number => ('entity' in term ? term.entity : values[term.variable]!);
  const isAnswer = (variable: number): boolean => {
    // What is decided already is looked at, so that it does not take all day.
    const decided = atoms.filter(({ from, to }) =>
      [from, to].every((term) => 'entity' in term || term.variable < variable),
    );
    const holds = ({ relation, from, to }: PatternAtom): boolean =>
      facts.has(`${idOf(from)} ${relation} ${idOf(to)}`);
    if (decided.some((atom) => holds(atom) === atom.negated)) return false;
    if (variable === pattern.variables.length) return true;
    return entities.some((id) => {
      values[variable] = id;
      return isAnswer(variable + 1);
    });
  };
  return entities.filter((id) => {
    values[0] = id;
    return isAnswer(1);
  });
}
/** Facts in both directions, as texts. */
const listed = (facts: readonly Fact[]): ReadonlySet<string> =>
  new Set(
    facts.flatMap(([head, relation, tail]) => [
      `${head} ${relation} ${tail}`,
      `${tail} ${relation + 1} ${head}`,
    ]),
  );
const [knownFacts, allFacts] = [listed(known), listed(all)];
const entities = Array.from({ length: smallEntityCount }, (_, id) => id);

describe('sampled patterns', () => {
  it.each(efo1Names)('%s have the easy and hard answers of all assignments', async (name) => {
    const patterns = await sample(name);
    expect(patterns.length).toBeGreaterThan(5);
    let others = 0;
    for (const each of patterns) {
      const [easy, whole] = [bruteForce(knownFacts, each), bruteForce(allFacts, each)];
      expect([...each.easy]).toEqual(easy);
      expect([...each.hard]).toEqual(whole.filter((id) => !easy.includes(id)));
      expect(each.hard.length).toBeGreaterThan(0);
      expect(each.hard.length).toBeLessThanOrEqual(20);
      // The negative control: along another relation, a pattern has other answers.
      const [first, ...rest] = atomsOf(each.pattern);
      const turned = [{ ...first!, relation: (first!.relation + 2) % 8 }, ...rest];
      if (recordedAnswers(larger, turned, 1e6).answers?.join() !== whole.join()) others += 1;
    }
    expect(others).toBeGreaterThan(0);
  });

  it.each(efo1Names)('%s are answered on recorded facts by the search of core alike', async (name) => {
    const state = recordedState(larger, { logic: createSetLogic('product') });
    expect(state.projection).not.toBe(defaultProjection);
    for (const { pattern, easy, hard } of await sample(name, 'search', 4)) {
      const limits = { k: smallEntityCount, links: 1e5, width: smallEntityCount, predicted: 0 };
      const { tuples } = await answerPattern(state, planPattern(pattern), limits);
      const found = new Set(tuples);
      expect([...hard].every((id) => found.has(id))).toBe(true);
      expect([...found].every((id) => easy.includes(id) || hard.includes(id))).toBe(true);
    }
  });

  it('are the same for the same seed, and others for another seed', async () => {
    const lines = async (seed: string) => [...patternsToJsonLines(await sample('3c', seed))];
    expect(await lines('one')).toEqual(await lines('one'));
    expect(await lines('one')).not.toEqual(await lines('two'));
  });

  it('are all different, and no link of them follows from the others', async () => {
    for (const name of ['2il', '2m', '3cm'] as const) {
      const patterns = await sample(name, 'different', 40);
      const names = patterns.map(({ pattern }) => patternName(atomsOf(pattern), pattern.variables.length));
      expect(new Set(names).size).toBe(names.length);
      for (const { pattern } of patterns)
        expect(isRedundant(atomsOf(pattern), pattern.variables.length)).toBe(false);
    }
  });

  it('have negations that change the answers', async () => {
    for (const { pattern, easy, hard } of await sample('2nm', 'negations', 20)) {
      const positive = atomsOf(pattern).filter(({ negated }) => !negated);
      const without = recordedAnswers(larger, positive, 1e6).answers!;
      const now = [...without].filter((id) => easy.includes(id) || hard.includes(id));
      expect(now.length).toBeLessThan(without.length);
    }
  });

  it('come fewer where the graph has no more, and end when the signal is raised', async () => {
    const few = await samplePatterns({
      ...{ type: efo1Types['2il'], count: 1e6, smaller, larger, patience: 500 },
      random: createRandom('few'),
    });
    expect(few.length).toBeLessThan(1e5);
    const stopped = samplePatterns({
      ...{ type: efo1Types['2il'], count: 5, smaller, larger, signal: AbortSignal.abort() },
      random: createRandom('few'),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('rules of patterns', () => {
  const atoms = (text: string): readonly PatternAtom[] =>
    patternType('', text).atoms.map((atom) => ({ ...atom, relation: 2 * atom.relation }));

  it('find links that follow from others, and leave the others', () => {
    expect(isRedundant(atoms('?x : r1(a, ?x), r1(?y, ?x)'), 2)).toBe(true);
    expect(isRedundant(atoms('?x : r1(a, ?x), r2(?y, ?x)'), 2)).toBe(false);
    expect(isRedundant(atoms('?x : r1(a, ?y), r2(?y, ?x), not r2(?y, ?x)'), 2)).toBe(true);
    expect(isRedundant(atoms('?x : r1(a, ?y), r2(?y, ?x), r1(a, ?z), r2(?z, ?x)'), 3)).toBe(true);
    expect(isRedundant(atoms('?x : r1(a, ?y), r2(?y, ?x), r1(b, ?z), r2(?z, ?x)'), 3)).toBe(false);
  });

  it('give one name to patterns that differ in nothing but names and order', () => {
    const one = patternName(atoms('?x : r1(a, ?y), r2(?y, ?x), r3(b, ?z), r4(?z, ?x)'), 3);
    expect(patternName(atoms('?x : r4(?y, ?x), r3(b, ?y), r2(?z, ?x), r1(a, ?z)'), 3)).toBe(one);
    expect(patternName(atoms('?x : r4(?y, ?x), r3(a, ?y), r2(?z, ?x), r1(b, ?z)'), 3)).not.toBe(one);
  });

  it('see a link that is followed by its inverse', () => {
    const link = (relation: number, from: Term, to: Term): PatternAtom => ({
      ...{ relation, from, to, negated: false },
    });
    const [x, y, a] = [{ variable: 0 }, { variable: 1 }, { entity: 3 as never }];
    expect(returns([link(4, a, y), link(5, y, x)])).toBe(true);
    expect(returns([link(4, a, y), link(4, y, x)])).toBe(false);
  });
});

describe('files of patterns', () => {
  const dataset = loadCountries();
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-patterns-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('come back as they were written, and are asked for by the name patterns', async () => {
    const random = createRandom('countries');
    const patterns = await samplePatternSet(dataset, 'test', { count: 5, random });
    expect(byType(patterns).size).toBeGreaterThan(7);
    await writePatternSet(folder, 'test', patterns, { seed: 1, each: 5, maxAnswers: 100 });
    const file = await openPatterns(folder, dataset, { queries: 'patterns' });
    expect(file?.patterns).toEqual(patterns);
    expect(file).toMatchObject({ part: 'test', set: 'drawn' });
    const path = patternFileOf(folder, 'test');
    expect(await openPatterns(folder, dataset, { queries: path })).toMatchObject({ patterns });
    expect(somePatterns(patterns, 2).length).toBe(2 * byType(patterns).size);
    await expect(
      writePatternSet(folder, 'test', patterns, { seed: 1, each: 5, maxAnswers: 100 }),
    ).rejects.toMatchObject({ code: 'usage', path });
  });

  it('go with the queries of a folder that are copied', async () => {
    const copy = join(folder, 'copy');
    await copyQueries(folder, copy);
    const [from, to] = [folder, copy].map((each) => patternFileOf(each, 'test'));
    expect(await readFile(to!, 'utf8')).toBe(await readFile(from!, 'utf8'));
    const rules = await readFile(to!.replace('.jsonl', '.rules.json'), 'utf8');
    expect(JSON.parse(rules)).toMatchObject({ seed: 1, each: 5, maxAnswers: 100 });
  });

  it('are no files of queries, and the other way round', async () => {
    const path = join(folder, 'queries.jsonl');
    await writeFile(path, '{"type":"1p","query":[1,[0]],"easy":[],"hard":[4]}\n');
    expect(await openPatterns(folder, dataset, { queries: path })).toBeUndefined();
    expect(await openPatterns(folder, dataset, {})).toBeUndefined();
    expect(await openPatterns(folder, dataset, { queries: 'q2b' })).toBeUndefined();
    await expect(openPatterns(folder, dataset, { queries: 'patterns', part: 'valid' })).rejects.toMatchObject(
      {
        code: 'usage',
        hint: expect.stringContaining('--patterns'),
      },
    );
    await expect(
      importQuerySet({ folder, dataset, file: path, name: 'patterns', part: 'test' }),
    ).rejects.toMatchObject({ code: 'usage' });
  });

  const vocabulary = createVocabulary({
    entities: ['a', 'b', 'c'].map((key) => ({ key, label: key })),
    relations: [{ key: 'r', label: 'r' }],
  });
  const reading = async (line: string): Promise<AnsweredPattern[]> => {
    const path = join(folder, 'some.jsonl');
    await writeFile(path, `${line}\n`);
    return readPatterns(path, vocabulary);
  };
  const good = '{"type":"mine","pattern":"?x : r(a, ?x), r(?y, ?x)","easy":[1],"hard":[2]}';

  it('may have any pattern of one answer, in notation and with names', async () => {
    const [one] = await reading(good);
    expect(one).toMatchObject({ type: 'mine', pattern: { variables: ['x', 'y'], answers: [0] } });
    expect([...one!.hard]).toEqual([2]);
  });

  it.each([
    ['no JSON', '{', 'JSON'],
    ['no type', good.replace('"mine"', '7'), 'type'],
    ['no pattern', '{"type":"mine","hard":[1]}', 'pattern'],
    ['an unknown name', good.replace('r(a', 's(a'), 's'],
    ['two answers', good.replace('?x :', '?x, ?y :'), 'one answer variable, got 2'],
    ['no hard answer', good.replace('[2]', '[]'), 'at least one answer'],
    ['an answer out of range', good.replace('[2]', '[3]'), '[0, 3)'],
    ['an answer both easy and hard', good.replace('[2]', '[1]'), 'entity 1 in both'],
    ['no easy answers', good.replace('"easy":[1],', ''), 'easy'],
  ])('are refused with %s', async (_what, line, message) => {
    await expect(reading(line)).rejects.toMatchObject({
      code: 'data',
      path: expect.stringMatching(/some\.jsonl:1$/),
      message: expect.stringContaining(message),
    });
  });
});
