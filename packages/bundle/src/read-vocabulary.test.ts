import { describe, expect, it } from 'vitest';
import { bundlePaths } from './manifest.ts';
import { readVocabulary, wholeLines } from './read-vocabulary.ts';

const piecesOf = (text: string, most: number): string[] =>
  Array.from(wholeLines(new TextEncoder().encode(text), most), (piece) => new TextDecoder().decode(piece));

describe('pieces of a file of names', () => {
  it('end where lines do, so that no character is cut', () => {
    expect(piecesOf('a\nbb\nccc\n', 5)).toEqual(['a\nbb\n', 'ccc\n']);
    expect(piecesOf('0\tä\n1\tö\n', 6)).toEqual(['0\tä\n', '1\tö\n']);
  });

  it('are longer than that where a line is, and whole where the last line has no end', () => {
    expect(piecesOf('a\nlong line\nb', 3)).toEqual(['a\n', 'long line\n', 'b']);
    expect(piecesOf('long', 2)).toEqual(['long']);
    expect(piecesOf('', 2)).toEqual([]);
  });
});

it('a label that is empty is the key, of entities and of relations', async () => {
  const files: Readonly<Record<string, string>> = {
    [bundlePaths.entities]: '0\tQ142\tFrance\n1\tQ183\t\n2\tQ31\t\ta country\n',
    [bundlePaths.relations]: '0\tP47\t\n2\tP38\tcurrency\n',
  };
  const source = { location: 'memory', read: async (path: string) => new TextEncoder().encode(files[path]) };
  const vocabulary = await readVocabulary(source, { files: {} });
  expect([0, 1, 2].map((id) => vocabulary.entity(id))).toEqual([
    { key: 'Q142', label: 'France' },
    { key: 'Q183', label: 'Q183' },
    { key: 'Q31', label: 'Q31', description: 'a country' },
  ]);
  expect([0, 2].map((id) => vocabulary.relation(id).label)).toEqual(['P47', 'currency']);
});
