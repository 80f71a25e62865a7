import { createApp } from '@fuzzqe/api';
import { asEntityId, createKnowledgeGraph } from '@fuzzqe/core';
import { parsePatternText, parseQueryText } from '@fuzzqe/core/query';
import { defaultWeights, type RuleSet } from '@fuzzqe/evidence';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { openGraphEngine } from '../index.ts';
import type { PatternOptions, PatternRow } from './pattern-answer.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({
  entities: named('Ann', 'Bob', 'Carl', 'Dora', 'Emil', 'Acme', 'Bolt'),
  relations: named('spouse', 'works for', 'parent'),
});
/** Ann and Bob are spouses and colleagues; Carl's spouse is Dora, who works elsewhere; that Dora's spouse is Carl is not recorded. */
const facts = createKnowledgeGraph({
  entityCount: 7,
  relationCount: 6,
  triples: Int32Array.of(
    ...[0, 0, 1, 1, 0, 0, 2, 0, 3, 0, 2, 5, 1, 2, 5, 2, 2, 5, 3, 2, 6, 4, 4, 0, 1, 4, 0],
  ),
});
const rules: RuleSet = {
  relationCount: 6,
  rules: [
    { kind: 'path', relation: 0, path: [1], hits: 60, predictions: 61 },
    { kind: 'path', relation: 1, path: [0], hits: 60, predictions: 61 },
  ],
};
const open = () => openGraphEngine({ vocabulary, facts, evidence: { weights: defaultWeights(6), rules } });
const match = async (text: string, options?: PatternOptions) =>
  (await open()).match(parsePatternText(text, vocabulary), options);
const labels = (rows: readonly { readonly entities: readonly { readonly label: string }[] }[]) =>
  rows.map(({ entities }) => entities.map(({ label }) => label).join(' '));

describe('patterns of an engine', () => {
  it('find people whose spouse is a colleague, with the employer that both share', async () => {
    const text = '?x, ?y : spouse(?x, ?y), "works for"(?x, ?c), "works for"(?y, ?c)';
    const { columns, rows, exact, plan } = await match(text);
    expect(columns).toEqual(['x', 'y']);
    expect(labels(rows)).toEqual(['Ann Bob', 'Bob Ann']);
    expect(rows[0]).toMatchObject({ state: 'recorded', degree: 1, others: { c: { label: 'Acme' } } });
    expect(exact).toBe(true);
    expect(plan).toMatchObject({ kind: 'search', variables: ['x', 'y', 'c'] });
    // Negative control: without the cycle Carl and Dora are a pair, too.
    expect(labels((await match('?x, ?y : spouse(?x, ?y), "works for"(?x, ?c)')).rows)).toContain('Carl Dora');
  });

  it('predict pairs that are not recorded, and say why', async () => {
    const { rows, suggestions } = await match('?x, ?y : spouse(?x, ?y), "works for"(?y, Acme)', {
      explain: true,
    });
    const pair = [...rows, ...suggestions].find(({ entities }) => entities[0]?.label === 'Dora');
    expect(pair).toMatchObject({ state: 'predicted', entities: [{ label: 'Dora' }, { label: 'Carl' }] });
    expect(pair!.degree).toBeLessThan(1);
    const links = pair!.because!.flatMap((each) => each.links);
    expect(links.map(({ relation, recorded }) => [relation.label, recorded])).toEqual([
      ['works for', true],
      ['spouse', false],
    ]);
    expect(links[1]!.reasons!.rules[0]).toMatchObject({ hits: 60 });
  });

  it('answer for one tuple with the degree that it has among all tuples', async () => {
    const text = '?x, ?y : spouse(?x, ?y), "works for"(?y, ?c), "works for"(?x, ?c)';
    const among = { minDegree: 0.001, k: 50, explain: true };
    const all = await match(text, among);
    expect(new Set(all.rows.map(({ state }) => state))).toEqual(new Set(['recorded', 'predicted']));
    for (const row of all.rows) {
      const found = await match(text, { ...among, tuple: row.entities.map(({ id }) => id) });
      expect(found.rows).toEqual([row]);
    }
    const [{ entities }] = all.rows as [PatternRow];
    await expect(match(text, { tuple: [entities[0]!.id] })).rejects.toThrow(
      'tuple: expected 2 entities, got 1',
    );
    await expect(match(text, { tuple: [entities[0]!.id, asEntityId(7)] })).rejects.toThrow('entity id');
  });

  it('answer yes or no', async () => {
    const yes = await match('spouse(Ann, Bob)');
    expect(yes.columns).toEqual([]);
    expect(yes.rows).toMatchObject([{ entities: [], state: 'recorded', degree: 1 }]);
    const perhaps = await match('spouse(Dora, Carl)');
    expect([...perhaps.rows, ...perhaps.suggestions]).toMatchObject([{ entities: [], state: 'predicted' }]);
    expect((await match('parent(Acme, Bolt)', { suggestions: false })).rows).toEqual([]);
  });

  it('say what is recorded although a likely link is negated, and leave recorded tuples out', async () => {
    const text = '?x, ?y : spouse^-1(?x, ?y), not spouse(?x, ?y)';
    const { rows, suggestions } = await match(text);
    // Dora's spouse is not recorded, but likely: what the facts give is doubted.
    const [doubted] = [...rows, ...suggestions].filter(({ state }) => state === 'doubted');
    expect(labels([doubted!])).toEqual(['Dora Carl']);
    expect(doubted!.degree).toBeLessThan(0.95);
    const others = await match(text, { exclude: 'known' });
    expect(labels([...others.rows, ...others.suggestions])).not.toContain('Dora Carl');
  });

  it('join assignments by ∨ where that is asked', async () => {
    // Two spouses of others work for Acme, so that the same predicted link may follow in several ways.
    const text = '?x : spouse(?x, ?y), "works for"(?x, ?c), "works for"(?y, ?c)';
    const degrees = async (options: PatternOptions) => {
      const { rows, suggestions } = await match(text, { ...options, minDegree: 0.01, k: 7 });
      return new Map([...rows, ...suggestions].map(({ entities, degree }) => [entities[0]!.label, degree]));
    };
    const [most, all] = [await degrees({}), await degrees({ exists: 'or' })];
    for (const [label, degree] of most) expect(all.get(label)).toBeGreaterThanOrEqual(degree);
    expect([...all].some(([label, degree]) => degree > (most.get(label) ?? 0) + 1e-6)).toBe(true);
  });

  it('count what is recorded and what is expected', async () => {
    const { counts } = await match('?x, ?y : spouse(?x, ?y)', { count: true, k: 49 });
    expect(counts).toMatchObject({ recorded: 3, atLeast: false });
    expect(counts!.expected).toBeGreaterThan(3);
  });

  it('of trees are the answers to the trees', async () => {
    const engine = await open();
    const tree = await engine.answer(parseQueryText('project(spouse, Dora)', vocabulary));
    const { rows, suggestions, plan } = await match('?x : spouse(Dora, ?x)');
    expect(plan.kind).toBe('tree');
    expect([...rows, ...suggestions].map(({ entities, degree }) => [entities[0]!.id, degree])).toEqual(
      [...tree.answers, ...tree.suggestions].map(({ id, degree }) => [id, degree]),
    );
  });

  it('say where the budget ended', async () => {
    const text = '?x, ?y : spouse(?x, ?y), parent(?x, ?z), parent(?y, ?z)';
    const { exact, unseen, warnings } = await match(text, { links: 1 });
    expect(exact).toBe(false);
    expect(unseen).toBeGreaterThan(0);
    expect(warnings[0]).toMatch(/^not-exact: /);
    expect((await match(text)).exact).toBe(true);
  });

  it.each([
    [{ k: 0 }, 'k: expected an integer in [1, 10000], got 0'],
    [{ links: 0 }, 'links: expected an integer'],
    [{ minDegree: 2 }, 'minDegree: expected a number in [0, 1], got 2'],
    [{ mode: 'embedding' }, 'mode: expected no such key'],
  ])('refuse the options %j', async (options, message) => {
    await expect(match('?x : spouse(?x, Ann)', options as PatternOptions)).rejects.toThrow(message);
  });
});

describe('POST /v1/patterns', () => {
  const ask = async (body: unknown, costLimit?: number) => {
    const app = createApp(await open(), costLimit === undefined ? {} : { costLimit });
    const response = await app.request('/v1/patterns', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };

  it('answers text and JSON alike', async () => {
    const text = await ask({
      pattern: '?x : spouse(?x, ?y), "works for"(?x, ?c), "works for"(?y, ?c)',
      explain: true,
    });
    expect(text.status).toBe(200);
    expect(text.body.rows.map((row: { entities: { key: string }[] }) => row.entities[0]!.key)).toEqual([
      'Ann',
      'Bob',
    ]);
    const json = await ask({
      pattern: {
        select: ['?x'],
        where: [
          { link: 'spouse', from: '?x', to: '?y' },
          { link: 'works for', from: '?x', to: '?c' },
          { link: 'works for', from: '?y', to: '?c' },
        ],
      },
      explain: true,
    });
    expect(json.body).toEqual(text.body);
  });

  it.each([
    [{ pattern: '?x : spous(?x, Ann)' }, 422, 'did you mean'],
    [{ pattern: '?x : not spouse(?x, Ann)' }, 400, 'only under'],
    [{}, 400, 'pattern'],
    [{ pattern: '?x : spouse(?x, ?y), parent(?x, ?y)', links: 100_000 }, 422, 'links'],
  ])('refuses %j', async (body, status, message) => {
    const answer = await ask(body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(message)]);
  });

  it('refuses what would take too long', async () => {
    const { status, body } = await ask({ pattern: '?x : spouse(?x, ?y), parent(?x, ?y)' }, 0.1);
    expect(status).toBe(400);
    expect(body.detail).toMatch(/cost of at most 0.1 ms/);
  });
});
