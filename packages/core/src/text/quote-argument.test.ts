import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { quoteArgument } from './quote-argument.ts';

describe('an argument for a shell', () => {
  it.each([
    ['runs/graph-1', 'runs/graph-1'],
    ['my graph', "'my graph'"],
    ["it's", "'it'\\''s'"],
    ['$HOME', "'$HOME'"],
    ['~', "'~'"],
    ['', "''"],
  ])('%j is written %s', (argument, written) => {
    expect(quoteArgument(argument)).toBe(written);
  });

  it.skipIf(process.platform === 'win32')('is taken by a shell as it is', () => {
    const strange = ['my graph', `"it's"`, '$HOME `id` \\ !', '*', 'a\nb', '~', '', '#', 'ä;&|'];
    const command = `printf '%s\\0' ${strange.map(quoteArgument).join(' ')}`;
    expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(
      strange,
    );
  });
});
