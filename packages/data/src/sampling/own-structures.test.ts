import { createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { parseStructure, queryRow, sampleQueries } from '../index.ts';
import { bruteForceAnswers, randomStructureText, smallGraphs } from '../testing/small-graphs.ts';
import { withoutEachNegation } from './rules.ts';

const { known, all, smaller, larger } = smallGraphs('own structures');

async function sampleText(text: string, random: ReturnType<typeof createRandom>) {
  const structure = parseStructure(text);
  const queries = await sampleQueries<string>({
    structure,
    count: 8,
    smaller,
    larger,
    random,
    maxAnswers: 30,
    patience: 4000,
    rules: { skipIdleNegation: true },
  });
  return { structure, rows: Array.from({ length: queries.count }, (_, row) => queryRow(queries, row)) };
}

describe('queries of any structure', () => {
  it('have the answers that the definition gives, and negations that matter', async () => {
    const random = createRandom('random structures');
    let found = 0;
    for (let i = 0; i < 25; i++) {
      const text = randomStructureText(random, 1 + (i % 3));
      const { structure, rows } = await sampleText(text, random.fork(i));
      found += rows.length;
      for (const { anchors, relations, easy, hard } of rows) {
        const before = bruteForceAnswers(known, structure.template, anchors, relations);
        const after = bruteForceAnswers(all, structure.template, anchors, relations);
        expect([...easy]).toEqual(before);
        expect([...hard]).toEqual(after.filter((entity) => !before.includes(entity)));
        expect(hard.length).toBeGreaterThan(0);
        for (const other of withoutEachNegation(structure.template))
          expect(bruteForceAnswers(all, other, anchors, relations)).not.toEqual(after);
      }
    }
    expect(found).toBeGreaterThan(80);
  });

  it('may be negated inside a negation', async () => {
    const text = 'and(project(?r1, ?a1), not(and(project(?r2, ?a2), not(project(?r3, project(?r4, ?a3))))))';
    const { structure, rows } = await sampleText(text, createRandom('nested'));
    expect(rows.length).toBeGreaterThan(0);
    for (const { anchors, relations, easy, hard } of rows) {
      const after = bruteForceAnswers(all, structure.template, anchors, relations);
      expect(after.filter((entity) => !easy.includes(entity))).toEqual([...hard]);
    }
  });
});

describe('a template without one of its negations', () => {
  it('is given for each of them, at any depth', () => {
    const { template } = parseStructure(
      'and(project(?r1, ?a1), not(project(?r2, ?a2)), not(and(project(?r3, ?a3), not(project(?r4, ?a4)))))',
    );
    expect(withoutEachNegation(template)).toHaveLength(3);
    const [single] = withoutEachNegation(parseStructure('2in').template);
    expect(single).toEqual(parseStructure('1p').template);
  });
});
