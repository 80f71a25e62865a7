import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';

import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Dataset, type ImportOptions, importDataset } from '@fuzzqe/data';
import { buildingTurtle, packedTexts, writeZip } from '@fuzzqe/data/testing';
import fc, { type Arbitrary } from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { atOnce, type Door, type OpenDoor } from '../door.ts';
import { mutated, utf8 } from '../mutations.ts';

const name = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'c',
    'Q42',
    'head',
    'tail',
    '0',
    '1',
    '2',
    '__proto__',
    'constructor',
    'é',
    '日本',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);
const rows = fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
const triples = fc.array(fc.tuple(name, name, name), { minLength: 1, maxLength: 12 });
const lineEnd = fc.constantFrom('\n', '\n', '\r\n', '\n\n', '\r');

function table(delimiter: string, quote: (field: string) => string): Arbitrary<Uint8Array> {
  const text = (of: readonly (readonly string[])[], end: string): string =>
    of.map((row) => row.map(quote).join(delimiter) + end).join('');
  return utf8(
    fc.oneof({ weight: 3, arbitrary: triples }, rows).chain((of) => lineEnd.map((end) => text(of, end))),
  );
}

const quoted = (field: string): string => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
const hostile = [
  '\t',
  ',',
  '"',
  '""',
  '\n',
  '\r',
  '\0',
  '\ufeff',
  '#',
  '\\',
  '\u2028',
  '__proto__',
  'a'.repeat(4000),
];
const notUtf8 = [Uint8Array.of(0xff), Uint8Array.of(0xc3), Uint8Array.of(0xed, 0xa0, 0x80)];

const iri = fc.constantFrom(
  'http://x/a',
  'http://x/b',
  'http://x/r',
  'urn:x',
  'http://x/é',
  'a',
  '',
  'http://x/%zz',
);
const term = fc.oneof(
  iri.map((each) => `<${each}>`),
  fc.constantFrom(
    '_:a',
    '_:b',
    '"text"',
    '"text"@en',
    '"1"^^<http://x/t>',
    'a',
    ':a',
    'x:b',
    '[]',
    '()',
    '"\\u0041"',
  ),
);
const statement = fc
  .tuple(term, term, term, fc.constantFrom('.', ' .', ';', ',', ''))
  .map((parts) => parts.join(' '));
const statements = fc.array(statement, { minLength: 1, maxLength: 10 }).map((all) => `${all.join('\n')}\n`);
const prefixes = '@prefix : <http://x/> .\n@prefix x: <http://y/> .\n';
const turtleWords = [
  '@prefix',
  '@base <',
  'PREFIX',
  '"""',
  "'''",
  '[',
  ']',
  '(',
  ')',
  '<<',
  '>>',
  '^^',
  '@en',
  '{',
  '}',
].concat([
  '<',
  '>',
  '.',
  ';',
  ',',
  '\\u',
  '\\U0010FFFF',
  '=>',
  '?x',
  '_:',
  ':',
  '#',
  '\n',
  '1e400',
  'true',
  '<http://x/a>',
]);
const validIri = fc.constantFrom('http://x/a', 'http://x/b', 'http://x/r', 'urn:x:y', 'http://x/é');
const nquad = fc
  .tuple(
    ...([0, 1, 2] as const).map(() => fc.oneof({ weight: 30, arbitrary: validIri }, iri)),
    fc.constantFrom('', '<http://x/g>', '_:g'),
  )
  .map(([s, p, o, g]) => `<${s}> <${p}> <${o}> ${g} .\n`);

const zipOf = (bytes: Uint8Array): Uint8Array => writeZip(new Map([['input.tsv', bytes]]));
const tsv = mutated(
  table('\t', (field) => field),
  [...hostile, ...notUtf8],
);

/** Imports each input as a file of that name. */
function importing(
  file: string,
  options: Partial<ImportOptions> = {},
): Pick<Door, 'open' | 'refusals' | 'parallel'> {
  return {
    refusals: ['data', 'usage', 'range', 'vocabulary'],
    parallel: atOnce,
    open: async (folder): Promise<OpenDoor> => {
      return {
        async attempt(input, place) {
          const train = join(folder, `${place}-${file}`);
          writeFileSync(train, input);
          const { dataset } = await importDataset({ name: 'x', train, ...options });
          checkGraph(dataset);
        },
      };
    },
  };
}

/** What holds of every graph that was taken: facts between its entities, along forward relations, and at least one. */
function checkGraph({ train, valid, test, vocabulary }: Dataset): void {
  const { entityCount, relationCount } = vocabulary;
  assert.ok(train.length + valid.length + test.length > 0, 'a graph without facts');
  for (const part of [train, valid, test])
    for (let i = 0; i < part.length; i += 3) {
      for (const entity of [part[i]!, part[i + 2]!])
        assert.ok(entity >= 0 && entity < entityCount, 'an entity');
      assert.ok(part[i + 1]! >= 0 && part[i + 1]! < relationCount && part[i + 1]! % 2 === 0, 'a relation');
    }
  for (let id = 0; id < entityCount; id++) vocabulary.findEntity(vocabulary.entity(id).key);
}

/** Files of triples: tables, RDF, compressed. */
export const tripleDoors: readonly Door[] = [
  {
    name: 'triples-tsv',
    description: 'tables between tabs',
    ending: '.tsv',
    volume: 'reader',
    inputs: tsv,
    ...importing('input.tsv'),
  },
  {
    name: 'triples-csv',
    description: 'tables between commas, with quotes, comments and more columns',
    ending: '.csv',
    volume: 'reader',
    inputs: mutated(table(',', quoted), [...hostile, ...notUtf8]),
    ...importing('input.csv', { comment: '#', ignoreExtra: true }),
  },
  {
    name: 'rdf-turtle',
    description: 'Turtle',
    ending: '.ttl',
    volume: 'reader',
    inputs: mutated(
      utf8(
        fc.oneof(
          statements.map((text) => prefixes + text),
          fc.constant(buildingTurtle),
        ),
      ),
      [...turtleWords, ...notUtf8],
    ),
    ...importing('input.ttl'),
  },
  {
    name: 'rdf-nquads',
    description: 'N-Quads, without blank nodes',
    ending: '.nq',
    volume: 'reader',
    inputs: mutated(utf8(fc.array(nquad, { minLength: 1, maxLength: 12 }).map((all) => all.join(''))), [
      ...turtleWords,
      ...notUtf8,
    ]),
    ...importing('input.nq', { skipBlank: true }),
  },
  {
    name: 'gzip',
    description: 'compressed tables',
    ending: '.tsv.gz',
    volume: 'reader',
    inputs: fc.oneof(
      mutated(
        tsv.map((bytes) => gzipSync(bytes)),
        ['\x1f\x8b\x08', '\0\0\0\0'],
      ),
      tsv.map((bytes) => gzipSync(bytes)),
    ),
    ...importing('input.tsv.gz'),
  },
  {
    name: 'bzip2',
    description: 'tables that bzip2 compressed',
    ending: '.tsv.bz2',
    volume: 'reader',
    inputs: mutated(fc.constantFrom(packedTexts.bz2.text, packedTexts.bz2.more), [
      'BZh9',
      '1AY&SY',
      '\0\0\0\0',
    ]),
    ...importing('input.tsv.bz2'),
  },
  {
    name: 'zstandard',
    description: 'tables that Zstandard compressed',
    ending: '.tsv.zst',
    volume: 'reader',
    inputs: mutated(fc.constantFrom(packedTexts.zst.text, packedTexts.zst.more), ['(\xb5/\xfd', '\0\0\0\0']),
    ...importing('input.tsv.zst'),
  },
  {
    name: 'zip-table',
    description: 'zip archives of one table',
    ending: '.zip',
    volume: 'reader',
    inputs: fc.oneof(
      mutated(tsv.map(zipOf), ['PK\x03\x04', 'PK\x01\x02', 'PK\x05\x06', '\0\0\0\0']),
      tsv.map(zipOf),
    ),
    ...importing('input.tsv.zip'),
  },
  {
    name: 'parquet',
    description: 'tables as Parquet',
    ending: '.parquet',
    volume: 'reader',
    inputs: mutated(
      triples.map((of) => {
        const titles = ['head', 'relation', 'tail'];
        const columnData = titles.map((name, i) => ({
          name,
          data: of.map((row) => row[i]),
          type: 'STRING' as const,
        }));
        return new Uint8Array(parquetWriteBuffer({ columnData }));
      }),
      ['PAR1', '\0\0\0\0'],
    ),
    ...importing('input.parquet'),
  },
];
