import { createRandom, type NameEntry, type Vocabulary } from '@fuzzqe/core';
import { type Answer, openEngine } from '@fuzzqe/engine';
import { memoryBundle, randomQuery, referenceSessions } from '@fuzzqe/engine/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNameTexts } from './name-texts.ts';
import { writeAnswer } from './write-answer.ts';

describe('an answer as JSON', () => {
  it('is that of JSON.stringify for answers of an engine', async () => {
    const { source, config, parameters } = await memoryBundle({ facts: 600 });
    const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    const random = createRandom('write answer');
    const shapes = new Set<string>();
    for (let drawn = 0; drawn < 40; drawn += 1) {
      const query = randomQuery(random, 1 + (drawn % 3));
      const options = [
        { mode: 'embedding' },
        { k: 1 + random.below(40), minDegree: random.uniform() },
        { suggestions: false, exclude: 'known' },
        { at: '2001-05' },
        { explain: true, k: 2 },
      ] as const;
      for (const each of options) {
        const answer: Answer = await engine.answer(query, each).catch(() => engine.answer(query));
        expect(await writeAnswer(answer, engine.vocabulary, {})).toBe(JSON.stringify(answer));
        shapes.add([...Object.keys(answer), ...Object.keys(answer.answers[0] ?? {})].join());
      }
    }
    expect(shapes.size).toBeGreaterThan(5);
    await engine.close();
  });

  const vocabulary = {} as Vocabulary; // only what is kept by it is asked for
  const entities = (length: number, entry: NameEntry) =>
    Array.from({ length }, (_, id) => ({
      id: id as never,
      ...entry,
      state: 'predicted' as const,
      degree: 1 / (id + 1),
      operands: [
        { degree: -0, known: false },
        { degree: Number.NaN, known: true },
      ],
    }));

  it('is that of JSON.stringify whatever names and warnings say, however long it is', async () => {
    const text = fc.string({ unit: 'binary' });
    await fc.assert(
      fc.asyncProperty(text, text, fc.constantFrom(0, 3, 900), async (key, label, length) => {
        const answer: Answer = {
          mode: 'sets',
          answers: entities(length, { key, label }),
          suggestions: entities(2, { key: label, label: key }),
          warnings: [label],
          plan: { kind: 'sets', structure: null, graphs: { links: length } },
        };
        expect(await writeAnswer(answer, vocabulary, {})).toBe(JSON.stringify(answer));
      }),
      { numRuns: 60 },
    );
  });

  it('ends with its limits where it is long', async () => {
    const answer: Answer = {
      ...{ mode: 'sets', answers: entities(900, { key: 'a', label: 'b' }), suggestions: [], warnings: [] },
      plan: { kind: 'sets', structure: '1p', graphs: { links: 1 } },
    };
    const limits = { signal: AbortSignal.abort() };
    await expect(writeAnswer(answer, vocabulary, limits)).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('has names that change, and keeps no more of them than it may', () => {
    const textOf = createNameTexts(1000);
    const before = textOf({ id: 7, key: 'FRA', label: 'France' });
    expect(before).toBe('{"id":7,"key":"FRA","label":"France"');
    expect(textOf({ id: 7, key: 'FRA', label: '"France"' })).toBe(
      '{"id":7,"key":"FRA","label":"\\"France\\""',
    );
    for (let id = 0; id < 100; id += 1) textOf({ id, key: 'x'.repeat(100), label: 'y' });
    expect(textOf({ id: 7, key: 'FRA', label: 'France' })).toBe(before);
  });
});
