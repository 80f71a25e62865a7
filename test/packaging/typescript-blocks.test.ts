import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileModules, moduleFile } from './compile-modules.ts';
import { packageNames, repositoryFiles, root } from './workspace.ts';

/** A TypeScript example in a document; with `ts run` it is executed as well as checked. */
interface Example {
  readonly document: string;
  readonly line: number;
  readonly runs: boolean;
  readonly code: string;
}

const examples: readonly Example[] = repositoryFiles()
  .filter((path) =>
    /^(?:README|CONTRIBUTING)\.md$|^docs\/[\w-]+\.md$|^packages\/[\w-]+\/README\.md$/.test(path),
  )
  .flatMap((document) => {
    const text = readFileSync(join(root, document), 'utf8');
    return [...text.matchAll(/^```ts( run)?\n([\s\S]*?)^```$/gm)].map(({ 1: runs, 2: code, index }) => ({
      document,
      line: text.slice(0, index).split('\n').length,
      runs: runs !== undefined,
      code: code!,
    }));
  });

// Inside the repository, so that packages are found as a user's would be; git ignores it.
const folder = mkdtempSync(join(root, '.tmp-blocks-'));
let compiled: ReturnType<typeof compileModules>;
beforeAll(() => {
  const codes = examples.map(({ code }) => code);
  compiled = compileModules(folder, codes, (index, line) => {
    const { document, line: start } = examples[index]!;
    return `${document}:${start + line} (`;
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the TypeScript blocks of the documents', () => {
  it('are there for every package', () => {
    const documents = new Set(examples.map(({ document }) => document));
    expect(packageNames.filter((name) => !documents.has(`packages/${name}/README.md`))).toEqual([]);
  });

  it('compile', () => {
    expect(compiled).toEqual({ status: 0, said: '' });
  });

  it.each(examples.map((example, index) => ({ ...example, index })).filter(({ runs }) => runs))(
    '$document:$line runs',
    async ({ index }) => {
      await import(/* @vite-ignore */ pathToFileURL(moduleFile(folder, index)).href);
    },
  );
});
