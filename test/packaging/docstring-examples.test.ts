import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { compileModules } from './compile-modules.ts';
import { repositoryFiles, root } from './workspace.ts';

/** What an example may use without a declaration, by name, with its type. */
const given: Readonly<Record<string, string>> = {
  engine: "import('@fuzzqe/engine').BundleEngine",
  vocabulary: "import('@fuzzqe/core').Vocabulary",
  graph: "import('@fuzzqe/core').KnowledgeGraph",
  dataset: "import('@fuzzqe/data').Dataset",
  rules: "import('@fuzzqe/evidence').RuleIndex",
  terminal: "import('fuzzqe').Terminal",
  bytes: 'Uint8Array<ArrayBuffer>',
  text: 'string',
  models: "import('@fuzzqe/engine/api').ModelRegistry",
  trained:
    "{ config: import('@fuzzqe/core/model').ModelConfig; parameters: import('@fuzzqe/core/model').Parameters; vocabulary: import('@fuzzqe/core').Vocabulary; graph: import('@fuzzqe/core').KnowledgeGraph }",
  source: "import('@fuzzqe/bundle').BundleSource",
  folder: 'string',
  address: 'string',
  rows: 'Float32Array',
  ort: "import('@fuzzqe/edge').EdgeAppOptions['ort']",
  bar: '{ value: number }',
  describe: "typeof import('vitest').describe",
  it: "typeof import('vitest').it",
};

const files = repositoryFiles();

/** The packages' names that the documents import, each with its module. */
const modules = new Map<string, string>();
for (const path of files.filter((path) =>
  /^(?:README\.md|docs\/.*\.md|packages\/[\w-]+\/README\.md)$/.test(path),
))
  for (const [, names, module] of readFileSync(join(root, path), 'utf8').matchAll(
    /^import \{([^}]*)\} from '((?:@fuzzqe\/|fuzzqe)[^']*)';$/gm,
  ))
    for (const name of names!.split(',').map((name) => name.trim()))
      if (!name.startsWith('type ')) modules.set(name, module!);

interface Example {
  readonly place: string;
  readonly name: string;
  readonly code: string;
}

const examples: Example[] = files
  .filter((path) => /^packages\/[\w-]+\/src\/.*(?<!\.test)\.ts$/.test(path))
  .flatMap((path) =>
    [
      ...readFileSync(join(root, path), 'utf8').matchAll(
        /@example\n((?: \* ?.*\n)+?) \*\/\nexport (?:async )?(?:function|const) (\w+)/g,
      ),
    ].map(([, lines, name]) => ({ place: path, name: name!, code: lines!.replaceAll(/^ \* ?/gm, '') })),
  )
  .filter(({ name }) => modules.has(name));

/** A module of the example's code, with the imports and the given names that it uses. */
function moduleOf({ code }: Example): string {
  const uses = (name: string): boolean => new RegExp(`(?<![.\\w])${name}\\b(?!:)`).test(code);
  const declares = (name: string): boolean =>
    new RegExp(`(?:const|import) (?:\\{[^}]*\\b)?${name}\\b`).test(code);
  const imports = [...modules].filter(([name]) => uses(name) && !declares(name));
  const values = Object.entries(given).filter(([name]) => uses(name) && !declares(name));
  return [
    ...imports.map(([name, module]) => `import { ${name} } from '${module}';`),
    ...values.map(([name, type]) => `declare const ${name}: ${type};`),
    code,
  ].join('\n');
}

const folder = mkdtempSync(join(root, '.tmp-examples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler says of the modules of these examples. */
const compile = (checked: readonly Example[]): string =>
  compileModules(
    folder,
    checked.map(moduleOf),
    (index, line) => `${checked[index]!.place} ${checked[index]!.name} (${line},`,
  ).said;

it('each function that a document imports has an example in its docstring', () => {
  const shown = new Set(examples.map(({ name }) => name));
  const functions = [...modules.keys()].filter((name) => /^[a-z]/.test(name) && name !== 'exitCodes');
  expect(functions.filter((name) => !shown.has(name))).toEqual([]);
  expect(modules.size).toBeGreaterThan(50);
});

it('the examples of docstrings compile', () => {
  expect(compile(examples)).toBe('');
  // Negative control: an option that does not exist.
  const wrong = { place: 'control', name: 'control', code: "await openBundle('/bundle', { nonsense: 1 });" };
  expect(compile([wrong])).toContain('control');
});
