import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FuzzError } from '@fuzzqe/core';
import { Parser } from 'n3';
import { afterAll, describe, expect, it } from 'vitest';
import { importDataset } from '../index.ts';

const archive = fileURLToPath(
  new URL('../../../../../shared/data/w3c-rdf-tests/rdf-tests.tar.xz', import.meta.url),
);
const isThere = existsSync(archive);
if (!isThere) process.stderr.write(`The tests of W3C are skipped: ${archive} is missing.\n`);
const folder = isThere ? mkdtempSync(join(tmpdir(), 'fuzzqe-w3c-')) : '';
if (isThere) execFileSync('tar', ['-xJf', archive, '-C', folder]);
afterAll(() => {
  if (isThere) rmSync(folder, { recursive: true });
});

interface SyntaxTest {
  readonly file: string;
  readonly base: string;
  readonly isNegative: boolean;
}

/** The tests of syntax and evaluation that the manifests of a folder list. */
function testsOf(version: string): SyntaxTest[] {
  const root = join(folder, 'rdf-tests', 'rdf', version);
  const base = `https://w3c.github.io/rdf-tests/rdf/${version}/`;
  const tests: SyntaxTest[] = [];
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!/manifest[^/]*\.ttl$/.test(name)) continue;
    const about = new Map<string, Map<string, string>>();
    for (const { subject, predicate, object } of new Parser({ baseIRI: base + name }).parse(
      readFileSync(join(root, name), 'utf8'),
    ))
      about.set(
        subject.value,
        (about.get(subject.value) ?? new Map()).set(predicate.value.replace(/.*[#/]/, ''), object.value),
      );
    for (const test of about.values()) {
      const [action = '', type = ''] = [test.get('action'), test.get('type')];
      const file = join(root, action.slice(base.length));
      if (!/\.(?:nt|nq|ttl|trig|rdf)$/.test(action) || !/#Test|#.*(?:Eval|Syntax)/.test(type)) continue;
      if (existsSync(dirname(file)))
        tests.push({ file, base: action, isNegative: type.includes('Negative') });
    }
  }
  return tests;
}

/** Whether a file is taken; one without facts between entities is well formed, too. */
async function isTaken({ file, base }: SyntaxTest): Promise<boolean> {
  try {
    await importDataset({ name: 'x', train: file, holdOut: 0, base });
    return true;
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
    return error.message.startsWith('triples: expected at least one');
  }
}

describe.skipIf(!isThere)("W3C's tests of RDF", () => {
  it.each(['rdf11', 'rdf12'])(
    '%s: all but texts with a NUL are read or refused as they should be',
    async (version) => {
      const tests = testsOf(version);
      expect(tests.length).toBeGreaterThan(300);
      const failed: string[] = [];
      for (const test of tests)
        if (
          (await isTaken(test)) === test.isNegative &&
          (test.isNegative || !readFileSync(test.file).includes(0))
        )
          failed.push(test.file.slice(folder.length));
      expect(failed).toEqual([]);
    },
    120_000,
  );
});
