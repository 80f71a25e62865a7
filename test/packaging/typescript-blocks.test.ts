import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageNames, repositoryFiles, root, run } from './workspace.ts';

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
const fileOf = (index: number): string => join(folder, `example-${index}.ts`);

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  examples.forEach(({ code }, index) => {
    writeFileSync(fileOf(index), `${code}\nexport {};\n`);
  });
  const config = {
    extends: '../tsconfig.base.json',
    compilerOptions: {
      noEmit: true,
      types: ['node'],
      lib: ['ES2023', 'WebWorker'],
      isolatedDeclarations: false,
      declaration: false,
      declarationMap: false,
      noUnusedLocals: false,
    },
    include: ['*.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the TypeScript blocks of the documents', () => {
  it('are there for every package', () => {
    const documents = new Set(examples.map(({ document }) => document));
    expect(packageNames.filter((name) => !documents.has(`packages/${name}/README.md`))).toEqual([]);
  });

  it('compile', () => {
    const { status, stdout } = run('node_modules/typescript/bin/tsc', ['-p', folder, '--pretty', 'false']);
    const named = stdout.replaceAll(
      /[^\s]*example-(\d+)\.ts\((\d+),/g,
      (_, index: string, line: string) =>
        `${examples[Number(index)]!.document}:${examples[Number(index)]!.line + Number(line)} (`,
    );
    expect({ status, stdout: named }).toEqual({ status: 0, stdout: '' });
  });

  it.each(examples.map((example, index) => ({ ...example, index })).filter(({ runs }) => runs))(
    '$document:$line runs',
    async ({ index }) => {
      await import(/* @vite-ignore */ pathToFileURL(fileOf(index)).href);
    },
  );
});
