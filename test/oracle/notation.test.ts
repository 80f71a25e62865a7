import { readFileSync } from 'node:fs';
import { parseQueryText, queryFromBetaE } from '@fuzzqe/core/query';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';
import { productQuery } from './product.ts';
import { oracleQuery, oracleStructures } from './query.ts';

// a, b, c are entities 0 to 2; r, s, t are relations 0, 2 and 4, in the order in which their slots are filled.
const names = (letters: string): { key: string; label: string }[] =>
  [...letters].map((letter) => ({ key: letter, label: letter }));
const vocabulary = createVocabulary({ entities: names('abc'), relations: names('rst') });
const ids: Readonly<Record<string, number>> = { a: 0, b: 1, c: 2, r: 0, s: 2, t: 4 };

const document = readFileSync(new URL('../../docs/query-notation.md', import.meta.url), 'utf8');
const rows = [...document.matchAll(/^\| (\w+) \| `(\[.*?)` \| `(.*?)` \|$/gm)].map(
  ([, structure, tuple, text]) => ({
    structure: structure!,
    tuple: JSON.parse(tuple!.replace(/[a-z]/g, (letter) => String(ids[letter]))),
    text: text!,
  }),
);

describe('the table of structures in docs/query-notation.md', () => {
  it('has every structure of docs/bundle-format.md', () => {
    expect(rows.map(({ structure }) => structure)).toEqual(Object.keys(oracleStructures));
  });

  it.each(rows)('$structure: tuple and text are the tree of the oracle', ({ structure, tuple, text }) => {
    const expected = productQuery(oracleQuery(structure, [0, 1, 2], [0, 2, 4]));
    expect(queryFromBetaE(tuple)).toEqual(expected);
    expect(parseQueryText(text, vocabulary)).toEqual(expected);
  });
});
