import { asEntityId, asRelationId, FuzzError } from '@fuzzqe/core';
import { parseQueryText, type Query } from '@fuzzqe/core/query';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countryNames, countryVocabulary } from '../testing/country-names.ts';
import { problemOf } from '../view/notation/typed-problem.ts';
import { modelOfAddress, readAddress, writeAddress } from './address.ts';
import { createNaming } from './naming.ts';
import { emptyQuestion, type Question } from './question.ts';
import { answerSparqlCall } from './read-sparql.ts';
import { usualSettings } from './settings.ts';
import { readSparql, writeSparql } from './sparql.ts';
import { readText, writeText } from './text.ts';
import { fromQuery, toQuery } from './to-query.ts';

const naming = createNaming(countryNames());
/** By messages, as a worker of the browser does. */
const fromSparql = (text: string) =>
  readSparql(text, naming, async (call) => structuredClone(await answerSparqlCall(structuredClone(call))));
/** Without keys. */
const shapeOf = (question: Question): unknown =>
  JSON.parse(JSON.stringify(question, (key, value) => (key === 'key' ? undefined : value)));

const { question: questions } = fc.letrec<{ question: Question }>((tie) => ({
  question: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'question' },
    fc.constant<Question>({ kind: 'hole', key: '' }),
    fc.nat(7).map((id): Question => ({ kind: 'anchor', key: '', entity: asEntityId(id) })),
    fc.tuple(fc.option(fc.nat(2)), fc.boolean(), tie('question')).map(
      ([relation, inverse, of]): Question => ({
        kind: 'hop',
        key: '',
        ...(relation === null ? {} : { relation: asRelationId(2 * relation) }),
        inverse,
        of,
      }),
    ),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('question'), { minLength: 2, maxLength: 3 }))
      .map(([kind, parts]): Question => ({ kind, key: '', parts })),
    tie('question').map((of): Question => ({ kind: 'not', key: '', of })),
  ),
}));

describe('questions as text', () => {
  it('are read again as the same, holes included, whatever the names', async () => {
    await fc.assert(
      fc.asyncProperty(questions, async (question) => {
        const text = await writeText(question, naming);
        expect(shapeOf(await readText(text, naming))).toEqual(shapeOf(question));
        const query = toQuery(question);
        if (query !== undefined) expect(parseQueryText(text, countryVocabulary)).toEqual(query);
      }),
      { numRuns: 100, seed: 3 },
    );
  });

  it('are asked for each name once, and for none that is not needed', async () => {
    const names = countryNames();
    const own = createNaming(names);
    const text = 'and(project(borders, France), not(project("uses currency", France)), Q90)';
    const question = await readText(text, own);
    expect(names.asked).toEqual(['France', 'Q90']);
    expect(await writeText(question, own)).toBe(text);
    // France is known by its label; that two share "Paris" has to be found out.
    expect(names.asked.slice(2)).toEqual(['Paris']);
    await writeText(question, own);
    expect(names.asked).toHaveLength(3);
  });

  it.each([
    ['and(project(bordrs, France), ?)', 12, /got "bordrs"/, /did you mean "borders"/],
    ['and(France,\n  Atlantis)', 14, /got "Atlantis"/, undefined],
    ['project(borders, Paris)', 17, /that 2 share/, /Q90/],
    ['and(?)', 0, /two or more operands/, undefined],
    ['a?b', 0, /got "a\?b"/, undefined],
    ['project(borders, "?', 17, /closing "/, undefined],
    ['#8', 0, /8/, undefined],
  ])('say what is wrong with them, and where: %s', async (text, offset, message, hint) => {
    const problem = await readText(text, naming).then(
      () => undefined,
      (error: unknown) => problemOf(error, text),
    );
    expect(problem).toMatchObject({ offset, message: expect.stringMatching(message) });
    if (hint !== undefined) expect(problem!.hint).toMatch(hint);
    expect(problem!.hint ?? '').not.toContain('^');
  });

  it('keep question marks that belong to names', async () => {
    const text = 'project(borders, <http://example.org/a?b>)';
    expect(toQuery(await readText(text, naming))).toMatchObject({ from: { entity: 5 } });
  });

  it('tell what stands in the way of asking for names', async () => {
    const broken = createNaming({
      ...countryNames(),
      findEntity: async () => {
        throw new FuzzError('runtime', 'server: no answer');
      },
    });
    await expect(readText('and(France, Germany)', broken)).rejects.toMatchObject({ code: 'runtime' });
  });
});

describe('questions in SPARQL', () => {
  const text = 'and(project(borders, France), not(project("uses currency"^-1, "West African franc")))';

  it('are read again as the same, with the settings that it has', async () => {
    const question = await readText(text, naming);
    const settings = { k: 5, exclude: 'known' } as const;
    const sparql = await writeSparql(question, naming, settings);
    const read = await fromSparql(sparql!);
    expect(shapeOf(read.question)).toEqual(shapeOf(question));
    expect(read.settings).toEqual(settings);
    expect((await fromSparql('SELECT ?x { entity:Q142 relation:borders ?x }')).settings).toEqual({
      exclude: 'none',
    });
  });

  it('are none while a part is missing', async () => {
    expect(await writeSparql(await readText('and(France, ?)', naming), naming)).toBeUndefined();
  });

  it.each([
    ['SELECT ?x { entity:Atlantis relation:borders ?x }', 12, /Atlantis/],
    ['SELECT ?x { entity:Q142 relation:borders ?x', 43, /expected/],
    ['SELECT ?x { entity:Q142 relation:borders ?x } OFFSET 5', undefined, /OFFSET/],
    ['SELECT ?x { ?x relation:borders entity:Q142 } ORDER BY ?label', undefined, /ORDER BY/],
    ['SELECT ?x { entity:Q142 relation:borders ?x FILTER(?degree > 0.5) }', undefined, /FILTER/],
    ['SELECT ?x { entity:Q142 relation:borders ?x } LIMIT 5000', undefined, /LIMIT 5000/],
    ['ASK { entity:Q142 relation:borders ?x FILTER(?degree >= 0.5) }', undefined, /ASK/],
  ])('say what is wrong with them, and where: %s', async (text, offset, message) => {
    const problem = await fromSparql(text).then(
      () => undefined,
      (error: unknown) => problemOf(error, text),
    );
    expect(problem!.message).toMatch(message);
    expect(problem!.offset).toBe(offset);
  });

  it('refuse what SPARQL cannot say', async () => {
    const question = await readText('not(France)', naming);
    await expect(writeSparql(question, naming)).rejects.toThrow(/got one alone/);
  });
});

describe('links to questions', () => {
  it('bring them back with their settings', async () => {
    const settings = { k: 25, exclude: 'known' } as const;
    const question = await readText('and(project(borders, "and"), project(?, "1984"))', naming);
    const hash = `#${await writeAddress({ question, settings }, naming)}`;
    const read = await readAddress(hash, naming);
    expect(read!.settings).toEqual(settings);
    expect(shapeOf(read!.question)).toEqual(shapeOf(question));
    const plain = fromQuery({ op: 'entity', entity: asEntityId(0) } satisfies Query);
    expect(await writeAddress({ question: plain, settings: usualSettings }, naming)).toBe('v=1&q=France');
  });

  it('say which model is asked, unless it is the first', async () => {
    const question = await readText('France', naming);
    const shared = { question, settings: usualSettings, model: 'a b' };
    const hash = `#${await writeAddress(shared, naming)}`;
    expect(hash).toBe('#v=1&model=a+b&q=France');
    expect(modelOfAddress(hash)).toBe('a b');
    expect(shapeOf((await readAddress(hash, naming))!.question)).toEqual(shapeOf(question));
    const empty = `#${await writeAddress({ ...shared, question: emptyQuestion }, naming)}`;
    expect([modelOfAddress(empty), await readAddress(empty, naming)]).toEqual(['a b', undefined]);
    expect(await writeAddress({ question: emptyQuestion, settings: usualSettings }, naming)).toBe('');
    expect(modelOfAddress('#v=1&q=France')).toBeUndefined();
  });

  it('that share nothing are nothing', async () => {
    expect(await readAddress('', naming)).toBeUndefined();
    expect(await readAddress('#explore', naming)).toBeUndefined();
  });

  it.each([
    ['q=France', 'usage', /version 1, got none/],
    ['v=2&q=France', 'usage', /got "2"/],
    ['v=1&q=France&k=0', 'usage', /an integer in \[1, 1000\], got "0"/],
    ['v=1&q=France&k=1.5', 'usage', /got "1.5"/],
    ['v=1&q=France&k=', 'usage', /got ""/],
    ['v=1&q=France&exclude=all', 'usage', /none or known/],
    ['v=1&q=and(France', 'query', /expected "\)"/],
    ['v=1&q=Atlantis', 'vocabulary', /Atlantis/],
    ['v=1&q=', 'query', /a query/],
    [`v=1&q=${'a'.repeat(20_000)}`, 'usage', /at most 16384 characters/],
  ])('that are wrong say why: %s', async (hash, code, message) => {
    await expect(readAddress(`#${hash}`, naming)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});

it('whatever is typed or linked to is refused with words, if it is', async () => {
  const words = fc.constantFrom(
    'and(',
    'project(',
    'borders',
    ',',
    ')',
    '?',
    '"',
    '<',
    '#',
    '^-1',
    'France',
    '\\',
    ' ',
  );
  const typed = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 12 }).map((all) => all.join('')),
  );
  const linked = fc.record(
    { v: fc.constantFrom('1', '2'), q: typed, k: fc.string() },
    { requiredKeys: ['v'] },
  );
  const refusal = async (reading: Promise<unknown>): Promise<unknown> => {
    try {
      await reading;
      return undefined;
    } catch (error) {
      return error;
    }
  };
  await fc.assert(
    fc.asyncProperty(typed, linked, async (text, link) => {
      const all = [
        readText(text, naming),
        readAddress(String(new URLSearchParams(link)), naming),
        readAddress(text, naming),
      ];
      for (const error of await Promise.all(all.map(refusal))) {
        if (error === undefined) continue;
        expect(error).toBeInstanceOf(FuzzError);
        const { offset = 0 } = problemOf(error, text);
        expect(offset).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: 200, seed: 4 },
  );
});
