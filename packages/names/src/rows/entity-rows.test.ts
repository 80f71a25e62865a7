import { formatQuery, parseQueryText } from '@fuzzqe/core/query';
import { fuzzErrorOf } from '@fuzzqe/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aliasesOf, createVocabulary, entityRowText, readAliases, readEntityRows } from '../index.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const entityCount = 5;
const form = { path: 'f.tsv', entityCount, fields: ['a', 'b'] };

/** Texts with what breaks lines and fields, directions of writing, and emoji. */
const hostile = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '\t',
    '\n',
    '\r\n',
    '\\t',
    '"',
    "'",
    '\u202Eabc',
    'שלום',
    '👩‍👩‍👧',
    ' ',
    '',
    '\uFEFF',
    'x'.repeat(100_000),
  ),
);

describe('rows of entities', () => {
  it('come back as they were written, whatever they hold', () => {
    const rows = fc.array(fc.tuple(fc.nat(entityCount - 1), hostile, hostile), { maxLength: 12 });
    fc.assert(
      fc.property(rows, (given) => {
        const sorted = given.toSorted(([a], [b]) => a - b);
        const text = sorted.map(([id, ...fields]) => entityRowText(id, fields)).join('');
        const read = readEntityRows(() => bytesOf(text), form);
        expect(read.count).toBe(given.length);
        expect([...read.texts()].join('')).toBe(text);
        for (let id = 0; id < entityCount; id++)
          expect(read.of(id)).toEqual(sorted.filter(([own]) => own === id).map(([, ...fields]) => fields));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['an id beyond the entities', '5\ta\tb\n', 1],
    ['ids out of order', '3\ta\tb\n2\ta\tb\n', 2],
    ['no id', 'x\ta\tb\n', 1],
    ['an id with a zero before it', '01\ta\tb\n', 1],
    ['no tab', '1\n', 1],
    ['a last line that was cut off', '1\ta\tb\n1\ta', 2],
  ])('are refused by their line: %s', (_, text, line) => {
    expect(() => readEntityRows(() => bytesOf(text), form).count).toThrow(
      expect.objectContaining({ code: 'data', path: `f.tsv:${line}` }),
    );
  });

  it.each([
    ['another number of fields', '1\ta\n'],
    ['an unknown escape', '1\ta\t\\x\n'],
  ])('are refused when they are asked for: %s', (_, text) => {
    expect(() => readEntityRows(() => bytesOf(text), form).of(1)).toThrow(
      expect.objectContaining({ code: 'data' }),
    );
  });
});

it('bytes that are no UTF-8 are refused when they are asked for', () => {
  const rows = readEntityRows(() => Uint8Array.of(0x31, 0x09, 0x61, 0x09, 0xff, 0x0a), form);
  for (const ask of [() => rows.of(1), () => [...rows.texts()]])
    expect(ask).toThrow(expect.objectContaining({ code: 'data', path: 'f.tsv' }));
});

describe('further names', () => {
  const entities = ['Netherlands', 'Dutch', 'Hollandia'].map((label, i) => ({ key: `e${i}`, label }));
  const rows = [
    '0\talias\t\tHolland\n',
    '0\tlabel\tde\tNiederlande\n',
    '1\tdescription\ten\tspoken in Holland\n',
  ];
  const aliases = readAliases(() => bytesOf(rows.join('')), 3);
  const vocabulary = createVocabulary({ entities, relations: [], aliases });
  const found = (text: string): string[] => vocabulary.searchEntities(text).results.map(({ key }) => key);

  it('are searched, whole names first and descriptions last', () => {
    expect(found('holland')).toEqual(['e0', 'e2', 'e1']);
    expect(found('Niederlnade')).toEqual(['e0']);
    expect(found('spoken')).toEqual(['e1']);
    expect(found('poken')).toEqual([]);
    expect(createVocabulary({ entities, relations: [] }).searchEntities('Niederlande').total).toBe(0);
  });

  it('name an entity in queries if only one has the name, after keys and labels', () => {
    const lines =
      '0\tlabel\tde\tDeutschland\n0\tlabel\tda\tDeutschland\n0\tdescription\t\tland\n' +
      '1\talias\t\tX\n2\talias\t\tx\n2\talias\t\tGermany\n2\talias\t\tex:a\n';
    const named = createVocabulary({
      entities: [
        { key: 'Q183', label: 'Germany' },
        { key: 'Q713750', label: 'West Germany' },
        { key: 'Q3', label: 'Other' },
      ],
      relations: [{ key: 'P36', label: 'capital' }],
      aliases: readAliases(() => bytesOf(lines), 3),
    });
    expect(['Deutschland', 'DEUTSCHLAND', 'Germany', 'ex:a'].map(named.findEntity)).toEqual([0, 0, 0, 2]);
    const query = parseQueryText('project(capital, Deutschland)', named);
    expect(formatQuery(query, named)).toBe('project(capital, Germany)');
    expect(fuzzErrorOf(() => named.findEntity('X'))).toMatchObject({
      message: 'entity "X": expected a name that only one has, got one that 2 share',
      hint: 'Use a key: "Q713750", "Q3".',
    });
    expect(() => named.findEntity('land')).toThrow('expected a key or label');
  });

  it('say what they are', () => {
    expect(aliasesOf(vocabulary.aliases, 0)).toEqual([
      { kind: 'alias', language: '', text: 'Holland' },
      { kind: 'label', language: 'de', text: 'Niederlande' },
    ]);
    const unknown = readAliases(() => bytesOf('0\tnick\t\tx\n'), 3);
    expect(() => unknown.of(0)).toThrow('the kind nick');
  });
});
