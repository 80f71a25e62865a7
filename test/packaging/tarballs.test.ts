import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { publint } from 'publint';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { actsWhenLoaded, modulesLoadedBy } from './loaded-modules.ts';
import { type Json, packageNameOf, packageNames, readJson, root, run } from './workspace.ts';

const tarballs = inject('tarballs');
const scratch = mkdtempSync(join(tmpdir(), 'fuzzqe-tarballs-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What publint says of a tarball, one line a message. */
async function publintMessages(path: string): Promise<readonly string[]> {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  const tarball = buffer.slice(byteOffset, byteOffset + byteLength);
  const { messages } = await publint({ strict: true, pack: { tarball } });
  return messages.map(({ type, code, path }) => `${type}: ${code} at ${path.join('.')}`);
}

/** What attw says where types do not resolve as the code does, for users of ES modules; '' where nothing is wrong. Files are no modules. */
function attwProblems(path: string, files: readonly string[] = []): string {
  const excluded = files.length === 0 ? [] : ['--exclude-entrypoints', ...files];
  const args = [path, '--profile', 'esm-only', '--no-color', '--no-emoji', ...excluded];
  const { status, stdout, stderr } = run('node_modules/@arethetypeswrong/cli/dist/index.js', args);
  return status === 0 ? '' : stdout + stderr;
}

it('are made of every package', () => {
  expect(tarballs.map(({ name }) => name).sort()).toEqual(packageNames.map(packageNameOf).sort());
});

describe.each(tarballs)('$name', ({ name, path, files }) => {
  const folder = join(root, 'packages', packageNames.find((each) => packageNameOf(each) === name)!);
  const manifest = readJson(join(folder, 'package.json'));

  it('holds the licence of the repository and its README', () => {
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
  });

  it('holds its build, the sources that the maps name, and no tests', () => {
    const tops = new Set(files.map((file) => file.split('/')[0]!));
    expect(tops).toEqual(
      new Set(['LICENSE', 'README.md', 'dist', 'package.json', 'src', ...binFolders(manifest)]),
    );
    expect(files.filter((file) => /\.test\.|\.tsbuildinfo$|(?:^|\/)\./.test(file))).toEqual([]);
    const maps = files.filter((file) => file.endsWith('.map'));
    expect(maps.length).toBeGreaterThan(0);
    const missing = maps.flatMap((map) =>
      (readJson(join(folder, map))['sources'] as string[])
        .map((source) => posix.join(posix.dirname(map), source))
        .filter((source) => !files.includes(source)),
    );
    expect(missing).toEqual([]);
  });

  it('loads without its optional peers, and its types do', () => {
    const peers = Object.keys((manifest['peerDependenciesMeta'] ?? {}) as object);
    const targets = Object.values(manifest['exports'] as Record<string, Record<string, string> | string>);
    const entries = targets.filter((target) => typeof target !== 'string');
    for (const condition of ['default', 'types'])
      for (const entry of entries) {
        const loaded = modulesLoadedBy(join(folder, entry[condition]!));
        expect(
          peers.filter((peer) => loaded.has(peer)),
          entry[condition],
        ).toEqual([]);
      }
  });

  it('says truly which of its modules act when they are loaded', () => {
    const acting = files
      // A built page is loaded by browsers, whole: it is no module of the package.
      .filter((file) => /^(?:dist(?!\/app\/)|bin)\/.*\.js$/.test(file))
      .filter((file) => actsWhenLoaded(readFileSync(join(folder, file), 'utf8')));
    const said = [manifest['sideEffects']].flat().filter((path) => path !== false);
    expect(said).toEqual(expect.arrayContaining(acting.map((file) => `./${file}`)));
    // The source of a module beside its build.
    expect(said.filter((path) => !files.includes(String(path).replace('./', '')))).toEqual([]);
    expect(said.filter((path) => !acting.some((file) => String(path).includes(stemOf(file))))).toEqual([]);
  });

  it('is what publint asks for', async () => {
    expect(await publintMessages(path)).toEqual([]);
  });

  it('has types that resolve as its code does', { timeout: 60_000 }, () => {
    const exported = Object.entries(manifest['exports'] as Record<string, object | string>);
    const ofFiles = exported.filter(([, target]) => typeof target === 'string').map(([name]) => name);
    expect(attwProblems(path, ofFiles)).toBe('');
  });
});

/** A file's path below `dist` or `src`, without its ending. */
const stemOf = (file: string): string => file.replace(/^dist\//, '').replace(/\.js$/, '');

/** The folders of commands beside `dist`. */
function binFolders(manifest: Json): readonly string[] {
  return Object.values((manifest['bin'] ?? {}) as Record<string, string>)
    .map((path) => path.replace('./', '').split('/')[0]!)
    .filter((folder) => folder !== 'dist');
}

describe('a package that is wrong', () => {
  it('is refused by publint, by attw and where it loads an optional peer', async () => {
    const folder = join(scratch, 'wrong');
    mkdirSync(folder);
    const manifest = {
      name: 'wrong',
      version: '1.0.0',
      type: 'module',
      exports: { '.': './index.js', './a': './no.js' },
    };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'index.d.ts'), 'export {};\n');
    writeFileSync(join(folder, 'index.js'), "export * from './part.js';\n");
    writeFileSync(join(folder, 'part.js'), "import 'peer/part';\nconst late = () => import('other');\n");
    const { stdout } = run('npm', ['pack', '--json', '--silent'], { program: true, cwd: folder });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    expect(existsSync(join(folder, filename))).toBe(true);
    const messages = await publintMessages(join(folder, filename));
    expect(messages).toContainEqual(expect.stringContaining('FILE_DOES_NOT_EXIST'));
    expect(attwProblems(join(folder, filename))).toContain('/a');
    expect(modulesLoadedBy(join(folder, 'index.js'))).toEqual(new Set(['peer']));
    expect(actsWhenLoaded('const a = 1;\nregister(a);\n')).toBe(true);
    expect(actsWhenLoaded('const a = make(1);\nexport function f() {\n  register(a);\n}\n')).toBe(false);
  });
});
