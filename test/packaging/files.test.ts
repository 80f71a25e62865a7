import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokenLinks } from '../../scripts/documents/links.mjs';
import { type Json, packageNames, readJson, repositoryFiles, root } from './workspace.ts';

/** Text that people write: what tools write, such as the lockfile, has its own form. */
const texts = repositoryFiles()
  .filter((path) => /\.(?:tsx?|mjs|js|json|md|py|tsv|yml|html|css)$|^\.ci\/|(?:^|\/)\.[a-z]+rc$/.test(path))
  .filter((path) => existsSync(join(root, path)))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

describe('the files of the repository', () => {
  it('are short: 400 lines of source at most, 620 of a test', () => {
    const long = texts
      .filter(({ path }) => /\.tsx?$/.test(path) && !path.endsWith('.gen.ts'))
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ path, lines }) => lines > (/\.test\.tsx?$/.test(path) ? 620 : 400));
    expect(long).toEqual([]);
  });

  it('name no place on any machine', () => {
    const place =
      /(?:^|[\s'"`(=:])(?:file:\/\/)?(?:\/(?:home|Users|root|work|mnt|private)\/[\w.-]+|[A-Z]:\\\w+)/m;
    expect(texts.filter(({ text }) => place.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('keep clock and chance out of the mathematics', () => {
    const impure = /\bMath\.random\b|\bDate\.now\b|\bnew Date\b|\bperformance\.now\b/;
    // Requests have deadlines.
    const pure =
      /^packages\/(?:core|onnx|export|engine)\/src\/(?!api\/|queue\/|ranker\/|testing\/|.*\.test\.ts$)/;
    expect(
      texts.filter(({ path, text }) => pure.test(path) && impure.test(text)).map(({ path }) => path),
    ).toEqual([]);
  });
});

describe('the documents', () => {
  it.each(packageNames)('packages/%s/README.md begins with the name of its package', (name) => {
    const { name: fullName } = readJson(join(root, 'packages', name, 'package.json'));
    expect(readFileSync(join(root, 'packages', name, 'README.md'), 'utf8')).toMatch(
      new RegExp(`^# ${fullName}\n\n[A-Z]`),
    );
  });

  it('link to files that exist', () => {
    const files = {
      isThere: (path: string): boolean => existsSync(join(root, path)),
      read: (path: string): string => readFileSync(join(root, path), 'utf8'),
    };
    const broken = texts
      .filter(({ path }) => path.endsWith('.md'))
      .flatMap(({ path, text }) => brokenLinks(path, text, files).map((link) => ({ path, ...link })));
    expect(broken).toEqual([]);
  });
});

describe('the lockfile', () => {
  const { packages } = readJson(join(root, 'package-lock.json')) as { packages: Record<string, Json> };
  const entries = Object.entries(packages).map(([path, entry]) => ({ path, entry }));

  it('names no registry', () => {
    const hosts = entries.filter(({ entry }) => /^[a-z+]+:/.test(String(entry['resolved'] ?? '')));
    expect(hosts).toEqual([]);
  });

  it('has a digest for every package that is downloaded', () => {
    const open = entries
      .filter(({ path, entry }) => path.includes('node_modules/') && entry['link'] !== true)
      .filter(({ entry }) => entry['integrity'] === undefined);
    expect(open.map(({ path }) => path)).toEqual([]);
  });

  it('holds the optional packages of every platform', () => {
    // npm leaves out what it could not find when the lockfile was made, and `npm ci` then refuses it elsewhere.
    const missing = entries.flatMap(({ path, entry }) =>
      Object.keys((entry['optionalDependencies'] ?? {}) as object).filter(
        (name) => !(`${path}/node_modules/${name}` in packages) && !(`node_modules/${name}` in packages),
      ),
    );
    expect(missing).toEqual([]);
  });
});
