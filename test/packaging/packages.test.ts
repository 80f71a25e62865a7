import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Json, packageNameOf, packageNames, readJson, repositoryFiles, root, run } from './workspace.ts';

const workspace = readJson(join(root, 'package.json'));
const manifestOf = (name: string): Json => readJson(join(root, 'packages', name, 'package.json'));
const dependenciesOf = (manifest: Json, kind: string): Record<string, string> =>
  (manifest[kind] ?? {}) as Record<string, string>;

const site = 'https://github.com/fuzzqe/fuzzqe';

/** The sources that a package builds. */
function builtSources(name: string): readonly string[] {
  const { exclude } = readJson(join(root, 'packages', name, 'tsconfig.build.json')) as { exclude: string[] };
  const wildcards: Record<string, string> = { '**/': '(?:.*/)?', '*': '[^/]*', '.': '\\.' };
  const excluded = exclude.map((pattern) => {
    const path = pattern.replaceAll(/\*\*\/|\*|\./g, (wildcard) => wildcards[wildcard]!);
    return new RegExp(`^packages/${name}/${path}(?:/|$)`);
  });
  const kept = (path: string): boolean => !excluded.some((pattern) => pattern.test(path));
  return repositoryFiles().filter(
    (path) => path.startsWith(`packages/${name}/src/`) && /\.tsx?$/.test(path) && kept(path),
  );
}

/** A package's code without comments and template literals, which may hold examples. */
const codeOf = (name: string, isRead: (path: string) => boolean = () => true): string =>
  builtSources(name)
    .filter(isRead)
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|`(?:\\.|[^`\\])*`/gm, '');

/** The packages that code imports: `hono` for `hono/cors`. */
function importedPackages(code: string): ReadonlySet<string> {
  const specifiers = code.matchAll(/(?:\bfrom|^import|\bimport\()\s*(['"])(?!node:)([@\w][\w@./-]*)\1/gm);
  return new Set(
    [...specifiers].map(([, , name]) => name!.split('/', name!.startsWith('@') ? 2 : 1).join('/')),
  );
}

/** What the declared packages ask their user to declare as well. */
const peersOf = (declared: readonly string[]): readonly string[] =>
  declared
    .map((name) => join(root, 'node_modules', name, 'package.json'))
    .filter((path) => existsSync(path))
    .flatMap((path) => Object.keys(dependenciesOf(readJson(path), 'peerDependencies')));

/** What some packages build beside their sources: the page, the one file for pages or threads, the templates. */
const buildsMore: Readonly<Record<string, string>> = {
  playground: 'vite build --logLevel warn',
  edge: 'node ../../scripts/bundle-browser.mjs && node ../../scripts/make-runtime-image.mjs',
  serve: 'node ../../scripts/bundle-ranker-worker.mjs',
  sparql: 'node ../../scripts/bundle-kept-engine.mjs',
  'create-fuzzqe': 'node ../../scripts/copy-templates.mjs',
};

/** A file into which a build bundles other packages, and their licences: npm installs those packages for no user. */
const builtIn: Readonly<Record<string, { readonly file: string; readonly packages: readonly string[] }>> = {
  sparql: {
    file: 'evaluate/kept-engine.ts',
    packages: [
      '@comunica/query-sparql-rdfjs-lite',
      '@rdfjs/types',
      '@traqula/algebra-sparql-1-1',
      '@traqula/algebra-transformations-1-1',
      'asynciterator',
      'rdf-data-factory',
    ],
  },
};

describe.each(packageNames)('package %s', (name) => {
  const manifest = manifestOf(name);
  const fullName = packageNameOf(name);
  const afterwards = buildsMore[name] === undefined ? '' : ` && ${buildsMore[name]}`;

  it('has the fields that all packages share', () => {
    expect(manifest).toMatchObject({
      name: fullName,
      version: manifestOf('core')['version'],
      license: workspace['license'],
      type: 'module',
      engines: workspace['engines'],
      homepage: `${site}/tree/main/packages/${name}#readme`,
      repository: { type: 'git', url: `git+${site}.git`, directory: `packages/${name}` },
      files: expect.arrayContaining(['dist', 'src', '!src/**/*.test.ts']),
      // What was built of sources that are gone since would be published, too.
      scripts: {
        build: `node -e "fs.rmSync('dist', { recursive: true, force: true })" && tsc -p tsconfig.build.json${afterwards}`,
      },
    });
    expect(manifest['description']).toMatch(/^[A-Z].*\.$/);
    expect(manifest['keywords']).toEqual(expect.arrayContaining(['fuzzqe', 'knowledge-graph']));
    // Tools belong to the workspace; what a package's own declarations need belongs to the package, and so do
    // packages of this workspace that are optional to it: the build has to know that they come first.
    const peers = dependenciesOf(manifest, 'peerDependencies');
    expect(
      Object.keys(dependenciesOf(manifest, 'devDependencies')).filter(
        (other) => !other.startsWith('@types/') && !(other.startsWith('@fuzzqe/') && other in peers),
      ),
    ).toEqual(builtIn[name]?.packages ?? []);
  });

  it('exports its source to the workspace and its build to everyone else', () => {
    for (const [path, conditions] of Object.entries(
      manifest['exports'] as Record<string, Record<string, string> | string>,
    )) {
      if (typeof conditions === 'string') {
        // A file that is no module is built under its own name.
        expect(conditions).toBe(path.replace('./', './dist/'));
        expect(existsSync(join(root, 'packages', name, conditions)), conditions).toBe(true);
        continue;
      }
      expect(Object.keys(conditions), path).toEqual(['@fuzzqe/source', 'types', 'default']);
      const source = conditions['@fuzzqe/source']!;
      expect(existsSync(join(root, 'packages', name, source)), source).toBe(true);
      const built = source.replace('./src/', './dist/');
      expect(conditions['types']).toBe(built.replace(/\.ts$/, '.d.ts'));
      expect(conditions['default']).toBe(built.replace(/\.ts$/, '.js'));
    }
  });

  it('declares what it imports, at an exact version, and nothing else', () => {
    const declared = {
      ...dependenciesOf(manifest, 'dependencies'),
      ...dependenciesOf(manifest, 'optionalDependencies'),
    };
    // Optional peers are the user's to install: any version that works will do.
    const names = [...Object.keys(declared), ...Object.keys(dependenciesOf(manifest, 'peerDependencies'))];
    expect(Object.keys(dependenciesOf(manifest, 'peerDependenciesMeta'))).toEqual(
      Object.keys(dependenciesOf(manifest, 'peerDependencies')),
    );
    const code = codeOf(name);
    const foreign = (of: string): string[] =>
      [...importedPackages(of)].filter((other) => other !== fullName && !names.includes(other));
    const { file, packages = [] } = builtIn[name] ?? {};
    expect(foreign(codeOf(name, (path) => path !== `packages/${name}/src/${file}`))).toEqual([]);
    expect(foreign(code).sort()).toEqual(packages);
    const needless = names.filter(
      (other) => !new RegExp(`['"]${other}(?:/[^'"]*)?['"]`).test(code) && !peersOf(names).includes(other),
    );
    expect(needless).toEqual([]);
    for (const [other, version] of Object.entries(declared)) {
      const sibling = packageNames.map(manifestOf).find((candidate) => candidate['name'] === other);
      expect(version, other).toBe(sibling?.['version'] ?? version);
      expect(version, other).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });
});

describe('the build', () => {
  const entries = packageNames.flatMap((name) => {
    const manifest = manifestOf(name);
    return Object.entries(manifest['exports'] as object)
      .filter(([, target]) => typeof target !== 'string')
      .map(([path]) => `${manifest['name']}${path.slice(1)}`);
  });

  it.each(entries)('%s loads in plain Node and says nothing', (entry) => {
    const script = `
      const exported = await import(${JSON.stringify(entry)});
      console.log(import.meta.resolve(${JSON.stringify(entry)}).includes('/dist/'), Object.keys(exported).length > 0);`;
    expect(run('--input-type=module', ['--eval', script], { node: true })).toEqual({
      status: 0,
      stdout: 'true true\n',
      stderr: '',
    });
  });

  it('has a command that shows its help', () => {
    const { bin } = manifestOf('cli') as { bin: { fuzzqe: string } };
    const { status, stdout, stderr } = run(join('packages/cli', bin.fuzzqe), ['--help']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('Usage: fuzzqe');
  });
});
