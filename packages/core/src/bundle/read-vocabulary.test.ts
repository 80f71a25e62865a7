import { describe, expect, it } from 'vitest';
import { wholeLines } from './read-vocabulary.ts';

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
