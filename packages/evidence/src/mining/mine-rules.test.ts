import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createRandom, type KnowledgeGraph } from '@fuzzqe/core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rule, readRules, writeRules } from '../index.ts';
import { graphOf } from '../testing/graph-of.ts';
import { type MineRulesOptions, mineRules } from './mine-rules.ts';

const mine = (facts: KnowledgeGraph, options: Partial<MineRulesOptions> = {}) =>
  mineRules(facts, { random: createRandom('mine', 1), rounds: 4, ...options });
const ofRelation = (rules: readonly Rule[], relation: number): string[] =>
  rules
    .filter((rule) => rule.relation === relation)
    .map((rule) =>
      rule.kind === 'path'
        ? `${rule.path} ${rule.hits}/${rule.predictions}`
        : `${rule.tail} if ${rule.body.relation} ${rule.body.tail} ${rule.hits}/${rule.predictions}`,
    );

type Fact = readonly [number, number, number];
/** Relation 0: parent; 2: sibling; 4: grandparent; 6: child. Three children of each of three pairs' first members. */
const family: Fact[] = [];
for (const [grandparent, ...parents] of [
  [0, 1, 2],
  [3, 4, 5],
]) {
  for (const parent of parents) {
    family.push([parent, 0, grandparent!], [grandparent!, 6, parent]);
    const children = [0, 1, 2].map((i) => 10 + 3 * parent + i);
    for (const child of children) {
      family.push([child, 0, parent], [parent, 6, child], [child, 4, grandparent!]);
      for (const other of children) if (other !== child) family.push([child, 2, other]);
    }
  }
  family.push([parents[0]!, 2, parents[1]!], [parents[1]!, 2, parents[0]!]);
}

describe('mineRules', () => {
  it('finds symmetry, inverses and chains, with exact counts where the graph is small', async () => {
    const { rules, whole, rounds } = await mine(graphOf(family), { rounds: 30 });
    expect(whole).toBe(true);
    expect(rounds).toBeLessThan(30);
    const sibling = ofRelation(rules, 2);
    // Symmetry; siblings by a common parent, who are never oneself.
    expect(sibling.slice(0, 2)).toEqual(['3 28/28', '0,1 28/28']);
    expect(ofRelation(rules, 0)).toContain('7 16/16');
    expect(ofRelation(rules, 4)).toContain('0,0 12/12');
    expect(ofRelation(rules, 5)).toContain('1,1 12/12');
    // A path along which nothing follows is no rule.
    expect(sibling.some((text) => text.startsWith('0 '))).toBe(false);
  });

  it('keeps no rule that says its own head, and none with fewer than two hits', async () => {
    const { rules } = await mine(graphOf(family));
    expect(rules.length).toBeGreaterThan(50);
    for (const rule of rules) {
      expect(rule.hits).toBeGreaterThanOrEqual(2);
      expect(rule.predictions).toBeGreaterThanOrEqual(rule.hits);
      if (rule.kind === 'path') expect(rule.path).not.toEqual([rule.relation]);
      else expect([rule.body.relation, rule.body.tail]).not.toEqual([rule.relation, rule.tail]);
    }
  });

  it('finds constants: who lives in 100 speaks 101', async () => {
    const facts: Fact[] = [];
    for (let person = 0; person < 12; person++) {
      facts.push([person, 0, person < 8 ? 100 : 102]);
      facts.push([person, 2, person < 6 ? 101 : 103]);
    }
    // 101 itself lives in 100: no prediction about itself.
    const { rules } = await mine(graphOf([...facts, [101, 0, 100]]));
    const speaks = ofRelation(rules, 2);
    expect(speaks).toContain('101 if 0 100 6/8');
    expect(speaks).toContain('103 if 0 102 4/4');
    expect(ofRelation(rules, 0)).toContain('100 if 2 101 6/6');
  });

  const larger = (): KnowledgeGraph => {
    const random = createRandom('graph');
    const rows: Fact[] = [...family];
    for (let i = 0; i < 1500; i++)
      rows.push([Math.floor(300 * random.uniform() ** 2), 2 * random.below(5), random.below(300)]);
    return graphOf(rows);
  };
  const textOf = async (options: Partial<MineRulesOptions>): Promise<string> => {
    const facts = larger();
    return writeRules(await mine(facts, options), facts);
  };

  it('gives the same bytes for the same seed and rounds, and others for another seed', async () => {
    const first = await textOf({ rounds: 2 });
    expect(await textOf({ rounds: 2 })).toBe(first);
    expect(await textOf({ rounds: 2, random: createRandom('mine', 2) })).not.toBe(first);
    const facts = larger();
    const timed = await mineRules(facts, { random: createRandom('mine', 1), seconds: 600, rounds: 1 });
    expect(timed.rounds).toBe(1);
    expect(writeRules(timed, facts)).toBe(await textOf({ rounds: 1 }));
  });

  it('keeps the rules of rounds before, judged again', async () => {
    const few = await mine(larger(), { rounds: 1 });
    const more = await mine(larger(), { rounds: 4 });
    expect(more.rules.length).toBeGreaterThan(few.rules.length);
    const perRelation = (kind: Rule['kind']): number[] =>
      Array.from(
        { length: 10 },
        (_, r) => more.rules.filter((each) => each.kind === kind && each.relation === r).length,
      );
    expect(Math.max(...perRelation('path'))).toBeLessThanOrEqual(60);
    expect(Math.max(...perRelation('constant'))).toBeLessThanOrEqual(500);
  });

  it('says how far it is', async () => {
    const seen: string[] = [];
    await mine(graphOf(family), {
      rounds: 1,
      onProgress: ({ round, done, total }) => seen.push(`${round} ${done}/${total}`),
    });
    expect(seen).toEqual(['0 1/4', '0 2/4', '0 3/4', '0 4/4']);
  });

  it('mines graphs of one fact, of one relation, and of relations without facts', async () => {
    expect(await mine(graphOf([[0, 0, 1]]))).toMatchObject({ rules: [], whole: true, rounds: 1 });
    expect(await mine(graphOf([[0, 0, 0]]))).toMatchObject({ rules: [], whole: true });
    const symmetric = await mine(
      graphOf(
        [
          [0, 0, 1],
          [1, 0, 0],
          [2, 0, 3],
          [3, 0, 2],
        ],
        { relations: 20, entities: 9 },
      ),
    );
    expect(ofRelation(symmetric.rules, 0)).toContain('1 4/4');
    expect(symmetric.relationCount).toBe(20);
  });

  it('ends soon if time is short, with the rules that it has judged by then', async () => {
    const relations = 2 * 10_000;
    const facts = Array.from({ length: 10_000 }, (_, r): Fact => [r % 100, 2 * r, (7 * r + 1) % 100]);
    let reached = 0;
    const { rules, ...mined } = await mineRules(graphOf(facts, { relations, entities: 100 }), {
      ...{ random: createRandom('mine', 1), seconds: 0.001 },
      onProgress: ({ done }) => {
        reached = done;
      },
    });
    expect(mined).toEqual({ relationCount: relations, rounds: 0, whole: false });
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThan(10_000);
    for (const rule of rules) expect(rule.hits).toBeGreaterThanOrEqual(2);
  });

  it('stops when it is told to', async () => {
    await expect(mine(larger(), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'interrupted',
    });
    const controller = new AbortController();
    const stopped = mine(larger(), { signal: controller.signal, onProgress: () => controller.abort() });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted', message: /round 0 at 1 of 5/ });
  });

  it.each([{ rounds: 0 }, { rounds: 1.5 }, { seconds: 0 }, { seconds: Number.NaN }, { workers: -1 }])(
    'refuses %j',
    async (options) => {
      await expect(mine(graphOf(family), options)).rejects.toMatchObject({ code: 'range' });
    },
  );

  it('refuses to mine without an end', async () => {
    await expect(mineRules(graphOf(family), { random: createRandom(1) })).rejects.toMatchObject({
      code: 'range',
    });
  });

  describe('on threads', () => {
    let folder = '';
    let entry = new URL('file:///');
    /** Node 20 runs no TypeScript: the threads of this test run the sources in one compiled file. */
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'fuzzqe-mining-'));
      await build({
        configFile: false,
        logLevel: 'silent',
        resolve: { conditions: ['@fuzzqe/source'] },
        ssr: { noExternal: true, resolve: { conditions: ['@fuzzqe/source'] } },
        build: {
          ssr: fileURLToPath(new URL('mining-worker.ts', import.meta.url)),
          outDir: folder,
          rollupOptions: { output: { entryFileNames: 'worker.mjs' } },
        },
      });
      entry = pathToFileURL(join(folder, 'worker.mjs'));
    });
    afterAll(() => rm(folder, { recursive: true }));

    it('gives the same bytes for every number of threads', async () => {
      const here = await textOf({ rounds: 3 });
      expect(await textOf({ rounds: 3, workers: 1, entry })).toBe(here);
      expect(await textOf({ rounds: 3, workers: 2, entry })).toBe(here);
      const facts = larger();
      expect(writeRules(readRules(here, facts), facts)).toBe(here);
    });

    it('says so when a thread fails or ends', async () => {
      const broken = new URL('data:text/javascript,throw new Error("out of order")');
      await expect(mine(larger(), { workers: 2, entry: broken })).rejects.toMatchObject({
        code: 'runtime',
        message: /out of order/,
      });
      const ending = new URL('data:text/javascript,process.exit(0)');
      await expect(mine(larger(), { workers: 2, entry: ending })).rejects.toMatchObject({ code: 'runtime' });
    });

    it('stops its threads when it is told to', async () => {
      const controller = new AbortController();
      const stopped = mine(larger(), {
        workers: 2,
        entry,
        signal: controller.signal,
        onProgress: () => controller.abort(),
      });
      await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    });
  });
});
