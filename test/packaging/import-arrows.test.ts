import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readJson, root, run } from './workspace.ts';

/** An import, the file it stands in, and the start of the reason that lint gives; undefined where it is allowed. */
interface Case {
  readonly from: string;
  readonly imports: string;
  readonly reason: string | undefined;
}

const exportsOnly = 'Packages are used through their exports';
const anywhere = 'This package runs on any JavaScript runtime';
const nodeOnly = 'runs on Node';
const webOnly = 'edge runs on Workers and in browsers';
const noRun = 'export writes ONNX files and runs none';
const independent = 'tfjs is compared with ONNX Runtime';

/** Every package with the packages that it may import. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  core: [],
  onnx: ['core'],
  tfjs: ['core'],
  train: ['core', 'onnx', 'tfjs'],
  export: ['core', 'onnx'],
  engine: ['core'],
  serve: ['core', 'engine'],
  edge: ['core', 'engine'],
  parity: ['core', 'export', 'tfjs', 'engine', 'serve', 'edge'],
  cli: ['core', 'onnx', 'tfjs', 'train', 'export', 'engine', 'serve', 'edge', 'parity'],
};

/** How the reason for an import that a package may not have begins. */
function reasonFor(from: string): string {
  return from === 'cli' ? exportsOnly : `${from} imports `;
}

const named = (name: string): string => (name === 'cli' ? 'fuzzqe' : `@fuzzqe/${name}`);
const names = Object.keys(arrows);

const between: Case[] = names.flatMap((from) =>
  names
    .filter((to) => to !== from)
    .map((to) => ({
      from: `packages/${from}/src/part/file.ts`,
      imports: named(to),
      reason: arrows[from]!.includes(to) ? undefined : reasonFor(from),
    })),
);

const others: Case[] = [
  // core is closed.
  { from: 'packages/core/src/file.ts', imports: './kg/ids.ts', reason: undefined },
  { from: 'packages/core/src/query/file.ts', imports: '../kg/ids.ts', reason: undefined },
  { from: 'packages/core/src/file.ts', imports: 'hono', reason: reasonFor('core') },
  { from: 'packages/core/src/file.ts', imports: 'node:fs', reason: reasonFor('core') },
  { from: 'packages/core/src/file.test.ts', imports: 'vitest', reason: undefined },
  // Packages for every runtime have no Node modules; their tests may.
  ...['onnx', 'engine', 'edge'].flatMap((name): Case[] => [
    {
      from: `packages/${name}/src/file.ts`,
      imports: 'node:fs/promises',
      reason: name === 'edge' ? webOnly : anywhere,
    },
    { from: `packages/${name}/src/file.test.ts`, imports: 'node:fs/promises', reason: undefined },
  ]),
  { from: 'packages/train/src/file.ts', imports: 'node:fs', reason: undefined },
  { from: 'packages/serve/src/file.ts', imports: 'node:fs', reason: undefined },
  // Runtimes stay where they belong.
  { from: 'packages/engine/src/file.ts', imports: 'onnxruntime-web', reason: anywhere },
  { from: 'packages/onnx/src/file.ts', imports: 'onnxruntime-node', reason: anywhere },
  { from: 'packages/export/src/file.ts', imports: 'onnxruntime-node', reason: noRun },
  { from: 'packages/tfjs/src/file.ts', imports: 'onnxruntime-node', reason: independent },
  { from: 'packages/serve/src/file.ts', imports: 'onnxruntime-web/wasm', reason: nodeOnly },
  { from: 'packages/edge/src/file.ts', imports: 'onnxruntime-node', reason: webOnly },
  { from: 'packages/edge/src/file.ts', imports: 'onnxruntime-web/wasm', reason: undefined },
  { from: 'packages/serve/src/file.ts', imports: 'onnxruntime-node', reason: undefined },
  { from: 'packages/serve/src/file.ts', imports: '@fuzzqe/engine/api', reason: undefined },
  {
    from: 'packages/parity/src/file.ts',
    imports: 'onnxruntime-node',
    reason: 'parity compares what is served',
  },
  { from: 'packages/parity/src/file.ts', imports: 'onnxruntime-web', reason: undefined },
  // Nobody reaches into another package, tests included.
  ...['packages/cli/src/file.ts', 'packages/train/src/file.test.ts', 'test/parity/file.test.ts'].flatMap(
    (from): Case[] => [
      { from, imports: '@fuzzqe/core/src/index.ts', reason: exportsOnly },
      { from, imports: '@fuzzqe/core/dist/index.js', reason: exportsOnly },
    ],
  ),
  { from: 'packages/train/src/file.ts', imports: '../../core/src/index.ts', reason: 'through their exports' },
  {
    from: 'test/parity/file.test.ts',
    imports: '../../packages/core/src/index.ts',
    reason: 'through their exports',
  },
  // Tests may import across for fixtures, but not the command.
  { from: 'packages/engine/src/file.test.ts', imports: '@fuzzqe/export', reason: undefined },
  { from: 'test/parity/file.test.ts', imports: '@fuzzqe/train', reason: undefined },
  { from: 'test/parity/file.test.ts', imports: 'fuzzqe', reason: exportsOnly },
];

const cases = [...between, ...others];
const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-arrows-'));
let messages: Map<string, string>;

/** The file of a case: its own name, so that one run of the linter judges all cases. */
const fileOf = (index: number): string =>
  cases[index]!.from.replace(/file(?=\.)/, `case-${String(index).padStart(3, '0')}`);

beforeAll(() => {
  // Files outside a repository: without what asks git.
  const { vcs: _, ...config } = readJson(join(root, 'biome.json'));
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
  cases.forEach(({ imports }, index) => {
    const path = join(folder, fileOf(index));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `import { part } from '${imports}';\n\nexport const whole = part;\n`);
  });
  const report = join(folder, 'report.json');
  run(
    'node_modules/@biomejs/biome/bin/biome',
    [
      'lint',
      '--only=style/noRestrictedImports',
      '--reporter=json',
      `--reporter-file=${report}`,
      '--max-diagnostics=none',
      '.',
    ],
    { cwd: folder },
  );
  const { diagnostics } = JSON.parse(readFileSync(report, 'utf8')) as {
    diagnostics: { message: string; location: { path: string } }[];
  };
  messages = new Map(
    diagnostics.map(({ message, location }) => [location.path.replaceAll('\\', '/'), message]),
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the import arrows', () => {
  it.each(cases.map((one, index) => ({ ...one, index, verdict: one.reason ?? 'allowed' })))(
    '$from imports $imports: $verdict',
    ({ index, reason }) => {
      const message = messages.get(fileOf(index));
      if (reason === undefined) expect(message).toBeUndefined();
      else expect(message).toContain(reason);
    },
  );

  it('lets every package import what it declares, and no more', () => {
    for (const name of names) {
      const { dependencies = {} } = readJson(join(root, 'packages', name, 'package.json'));
      const declared = Object.keys(dependencies as object).filter((to) => to.startsWith('@fuzzqe/'));
      const allowed = arrows[name]!.map(named);
      expect(
        declared.filter((to) => !allowed.includes(to)),
        name,
      ).toEqual([]);
    }
  });
});
