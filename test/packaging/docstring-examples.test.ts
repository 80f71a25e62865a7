import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { compileModules } from './compile-modules.ts';
import { packageNameOf, packageNames, readJson, repositoryFiles, root } from './workspace.ts';

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
  models: "import('@fuzzqe/api').ModelRegistry",
  trained:
    "{ config: import('@fuzzqe/model').ModelConfig; parameters: import('@fuzzqe/model').Parameters; vocabulary: import('@fuzzqe/core').Vocabulary; graph: import('@fuzzqe/core').KnowledgeGraph }",
  source: "import('@fuzzqe/bundle').BundleSource",
  folder: 'string',
  triples: 'Int32Array',
  queries: "readonly import('@fuzzqe/data').SampledQueries[]",
  query: "import('@fuzzqe/core/query').Query",
  state: "import('@fuzzqe/core/sets').SetsState",
  program: "import('@fuzzqe/core/tensor').Program",
  manifest: "import('@fuzzqe/bundle').Manifest",
  bundle: "import('@fuzzqe/engine').OpenBundle",
  ranker: "import('@fuzzqe/engine').Ranker",
  model: "import('@fuzzqe/export').ServedModel",
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

/** The exports of a package by name, each with its module; those of suites for tests are left out. */
function exportsOf(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const { exports = {} } = readJson(join(root, 'packages', folder, 'package.json')) as {
    readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  };
  for (const [path, target] of Object.entries(exports)) {
    const source = typeof target === 'string' ? undefined : target['@fuzzqe/source'];
    if (source === undefined || path === './testing') continue;
    const index = readFileSync(join(root, 'packages', folder, source), 'utf8');
    for (const [, names] of index.matchAll(/^export \{([^}]*)\} from/gm))
      for (const name of names!.split(',').map((name) => name.trim()))
        if (!found.has(name)) found.set(name, `${packageNameOf(folder)}${path.slice(1)}`);
  }
  return found;
}

const sources = files.filter((path) => /^packages\/[\w-]+\/src\/.*(?<!\.test)\.ts$/.test(path));

/** The functions that the packages' READMEs name, each as `package name`. */
const named = packageNames.flatMap((folder) => {
  const readme = `packages/${folder}/README.md`;
  if (!files.includes(readme)) return [];
  const exported = exportsOf(folder);
  const own = sources.filter((path) => path.startsWith(`packages/${folder}/`));
  const code = own.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
  const words = readFileSync(join(root, readme), 'utf8').matchAll(/`([a-z]\w+)(?:\([^`]*)?`/g);
  return [...new Set([...words].map(([, word]) => word!))]
    .filter((name) => exported.has(name))
    .filter((name) => new RegExp(`^export (?:async )?function\\*? ${name}\\b`, 'm').test(code))
    .map((name) => {
      if (!modules.has(name)) modules.set(name, exported.get(name)!);
      return `${folder} ${name}`;
    });
});

interface Example {
  readonly place: string;
  readonly name: string;
  readonly code: string;
}

const examples: Example[] = sources
  .flatMap((path) =>
    [
      ...readFileSync(join(root, path), 'utf8').matchAll(
        /@example\n((?: \* ?.*\n)+?) \*\/\nexport (?:async )?(?:function\*?|const) (\w+)/g,
      ),
    ].map(([, lines, name]) => ({ place: path, name: name!, code: lines!.replaceAll(/^ \* ?/gm, '') })),
  )
  .filter(({ name }) => modules.has(name));

/** A module of the example's code, with the imports and the given names that it uses. */
function moduleOf({ code }: Example): string {
  const uses = (name: string): boolean => new RegExp(`(?<!\\w|(?<!\\.\\.)\\.)${name}\\b(?!:)`).test(code);
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
  const functions = [...modules.keys()].filter(
    (name) => /^[a-z]/.test(name) && !['exitCodes', 'schema'].includes(name),
  );
  expect(functions.filter((name) => !shown.has(name))).toEqual([]);
  expect(modules.size).toBeGreaterThan(50);
});

it('each function that the README of its package names has an example in its docstring', () => {
  const shown = new Set(examples.map(({ place, name }) => `${place.split('/')[1]} ${name}`));
  expect(named.filter((name) => !shown.has(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(100);
});

it('the examples of docstrings compile', () => {
  expect(compile(examples)).toBe('');
  // Negative control: an option that does not exist.
  const wrong = { place: 'control', name: 'control', code: "await openBundle('/bundle', { nonsense: 1 });" };
  expect(compile([wrong])).toContain('control');
});
