import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryFiles, root } from './workspace.ts';

/** How many source files an addition may touch, tests and documents not counted. */
const limit = 5;

/** A section `## To add …`: every path that it names, and those in the first column of its tables. */
interface Recipe {
  readonly title: string;
  readonly paths: readonly string[];
  readonly inTables: readonly string[];
}

function recipesOf(text: string): readonly Recipe[] {
  return text
    .split(/^(?=## )/m)
    .filter((section) => section.startsWith('## To add '))
    .map((section) => {
      const [heading, ...lines] = section.split('\n');
      const rows = lines.filter((line) => line.startsWith('| `'));
      return {
        title: heading!.slice('## To add '.length).replace(/^an? /, ''),
        paths: pathsIn(section),
        inTables: rows.flatMap((row) => pathsIn(row.split('|')[1]!)),
      };
    });
}

/** The paths in a text; `further-laws.ts` after `…/laws/laws.ts` and a comma is in the same folder. */
function pathsIn(text: string): readonly string[] {
  return [...text.matchAll(/`([\w-]+\/[\w*./-]*)`((?:, `[\w-]+\.\w+`)*)/g)]
    .filter(([, path]) => /^(?:packages|docs|test|bench|scripts|examples)\//.test(path!))
    .flatMap(([, path, more]) => [
      path!,
      ...[...more!.matchAll(/`([^`]+)`/g)].map(([, name]) => path!.replace(/[^/]*$/, name!)),
    ]);
}

const files = repositoryFiles();

/** Whether a path is a file, a folder or, with `*`, the pattern of files that are there. */
function exists(path: string): boolean {
  const pattern = path.replaceAll(/[.]/g, '\\.').replaceAll('*', '[^/]*');
  const found = new RegExp(`^${pattern.replace(/\/$/, '')}(?:/|$)`);
  return files.some((file) => found.test(file));
}

const isSource = (path: string): boolean =>
  path.startsWith('packages/') && !/\.test\.ts$|\/testing\/|\.md$|\.json$/.test(path);

const problemsOf = ({ paths, inTables }: Recipe): readonly string[] => {
  const sources = inTables.filter(isSource);
  return [
    ...paths.filter((path) => !exists(path)).map((path) => `${path} is not there`),
    ...(sources.length > limit ? [`${sources.length} source files: ${sources.join(', ')}`] : []),
  ];
};

const recipes = recipesOf(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'));

describe('CONTRIBUTING.md', () => {
  it('says how to add everything that is meant to be added', () => {
    expect(recipes.map(({ title }) => title)).toEqual(
      expect.arrayContaining([
        'tensor operation',
        'query structure',
        'loss',
        'regulariser',
        'logic',
        'runtime',
      ]),
    );
    expect(recipes.filter(({ paths }) => paths.length === 0)).toEqual([]);
  });

  it.each(recipes)(`names only what is there, and at most ${limit} source files: $title`, (recipe) => {
    expect(problemsOf(recipe)).toEqual([]);
  });

  it('would not pass with a path that is gone, or with a file too many', () => {
    const rows = ['kg', 'logic', 'query', 'sets'].map((name) => `| \`packages/core/src/${name}/*.ts\` | |`);
    const [recipe] = recipesOf(
      ['## To add a thing', '| `packages/core/src/logic/logic.ts`, `gone.ts` | |', ...rows].join('\n'),
    );
    expect(problemsOf(recipe!)).toEqual([
      'packages/core/src/logic/gone.ts is not there',
      expect.stringMatching(/^6 source files/),
    ]);
  });
});
