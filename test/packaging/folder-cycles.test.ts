import { expect, it } from 'vitest';
import { folderCycles } from '../../scripts/folder-cycles.mjs';

const cyclesOf = (files: Readonly<Record<string, string>>): readonly (readonly string[])[] =>
  folderCycles(Object.entries(files));

it('finds folders that import each other, directly, through a third, or by a type alone', () => {
  expect(cyclesOf({ 'a/x.ts': "import { y } from '../b/y.ts';", 'b/z.ts': "import '../a/w.ts';" })).toEqual([
    ['a', 'b'],
  ]);
  expect(
    cyclesOf({
      'a/x.ts': "import type { Y } from '../b/y.ts';",
      'b/inner/y.ts': "export { z } from '../../c/z.ts';",
      'c/z.ts': "const load = () => import('../a/x.ts');",
    }),
  ).toEqual([['a', 'b', 'c']]);
  expect(cyclesOf({ 'a/b/x.ts': "import '../c/y.ts';", 'a/c/y.ts': "import '../b/x.ts';" })).toEqual([
    ['a/b', 'a/c'],
  ]);
  expect(cyclesOf({ 'errors.ts': "import './a/x.ts';", 'a/x.ts': "import '../errors.ts';" })).toEqual([
    ['.', 'a'],
  ]);
});

it('lets folders import one way, a folder its own parts, an entry point and a test everything', () => {
  expect(
    cyclesOf({
      'index.ts': "export { x } from './a/x.ts';",
      'errors.ts': '',
      'a/x.ts': "import '../errors.ts';\nimport './inner/y.ts';",
      'a/inner/y.ts': "import '../shape.ts';",
      'b/x.test.ts': "import '../a/x.ts';",
      'a/z.test.ts': "import '../b/y.ts';",
    }),
  ).toEqual([]);
});
