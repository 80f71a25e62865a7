import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPath } from '../index.ts';
import { tripleEndings } from '../triples/triple-format.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-foreign-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function importing(name: string, content: string | Buffer): Promise<unknown> {
  await writeFile(join(folder, name), content);
  return importPath(join(folder, name), { name: 'x' });
}

const turtle = '@prefix ex: <http://x/> .\nex:a ex:r ex:b .\n';
const html = '\n<!DOCTYPE html>\n<html><head><title>404</title></head>\n<body>Not found</body></html>\n';

describe('a file of another form or tool', () => {
  it.each([
    ...['tsv', 'csv', 'nt', 'ttl', 'rdf', 'jsonld'].map((ending) => [
      `a.${ending}`,
      html,
      'a web page',
      'fetch',
    ]),
    ['turtle.owl', turtle, 'Turtle', '--format turtle'],
    ['turtle.nt', `# A comment.\n${turtle}`, 'Turtle', '--format turtle'],
    ['rdf.ttl', '<?xml version="1.0"?>\n<rdf:RDF>\n</rdf:RDF>', 'XML', '--format rdfxml'],
    ['functional.owl', 'Prefix(:=<http://x/>)\nOntology(<http://x/>)\n', 'OWL in functional', 'ROBOT'],
    ['obo.owl', 'format-version: 1.2\n[Term]\nid: X:1\n', 'OBO', 'ROBOT'],
    ['json.tsv', '{"a": 1}\n', 'JSON', '--format jsonld'],
  ])('is named: %s', async (name, content, got, hint) => {
    await expect(importing(name, content)).rejects.toMatchObject({
      ...{ code: 'data', path: join(folder, name) },
      message: expect.stringMatching(new RegExp(`^triples: expected [a-z]+, got ${got}`)),
      hint: expect.stringContaining(hint),
    });
  });

  it.each([
    [
      'pom.rdf',
      '<?xml version="1.0"?>\n<project><a>1</a></project>\n',
      'got XML without the namespace of RDF',
    ],
    ['package.jsonld', '{"name": "x", "dependencies": {"a": "1"}}', 'expected at least one, got none'],
    ['prose.ttl', 'No RDF at all.\n', 'RDF: Unexpected "No"'],
  ])('is refused where it is another use of its form: %s', async (name, content, message) => {
    await expect(importing(name, content)).rejects.toThrow(message);
  });

  it('is told where it is XML of another tool that can be read', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><g><text/></g></svg>';
    await writeFile(join(folder, 'svg.owl'), svg);
    const { notes } = await importPath(join(folder, 'svg.owl'), { name: 'x', holdOut: 0 });
    expect(notes).toEqual([expect.stringContaining('svg.owl: XML without the namespace of RDF')]);
  });

  it.each([
    [400, 400],
    [20_000, undefined],
  ])('is read where JSON-LD has %d objects in one another, or refused at once', async (depth, facts) => {
    const path = join(folder, 'deep.jsonld');
    await writeFile(
      path,
      `${'{"http://x/r":'.repeat(depth)}{"@id":"http://x/b","http://x/l":"[[{"}${'}'.repeat(depth)}`,
    );
    const reading = importPath(path, { name: 'x', holdOut: 0 });
    if (facts === undefined) await expect(reading).rejects.toThrow('JSON-LD: expected at most 500');
    else expect((await reading).dataset.train.length / 3).toBe(facts);
  });

  it('is read where its ending is wrong, and its form is said', async () => {
    await writeFile(join(folder, 'said.owl'), turtle);
    const { dataset } = await importPath(join(folder, 'said.owl'), {
      name: 'x',
      format: 'turtle',
      holdOut: 0,
    });
    expect(dataset.train.length / 3).toBe(1);
  });

  it('is not named where it is of the form, and has a mistake', async () => {
    await expect(importing('mistake.ttl', `${turtle}ex:a ex:r\n`)).rejects.toThrow('RDF: ');
    await expect(importing('mistake.tsv', 'prefix\ta\n')).rejects.toThrow('triple: expected three columns');
  });
});

it.each(tripleEndings)('an empty file is refused once, with its path: .%s', async (ending) => {
  await expect(importing(`empty.${ending}`, '')).rejects.toMatchObject({
    code: 'data',
    path: join(folder, `empty.${ending}`),
    message: expect.stringMatching(
      /^triples: expected at least one, got none$|^Parquet: .* got an empty one$/,
    ),
  });
});

describe('a folder of mixed forms', () => {
  const fill = async (name: string, files: Readonly<Record<string, string>>): Promise<string> => {
    await mkdir(join(folder, name));
    for (const [file, content] of Object.entries(files)) await writeFile(join(folder, name, file), content);
    return join(folder, name);
  };
  const nt = '<http://x/a> <http://x/r> <http://x/b> .\n';

  it('is refused where two files are of one part', async () => {
    const there = await fill('two', { 'train.tsv': 'a\tr\tb\n', 'train.nt': nt });
    await expect(importPath(there, { name: 'x' })).rejects.toMatchObject({
      ...{ code: 'data', path: there },
      message: `folder: expected one file of train, got ${join(there, 'train.tsv')} and ${join(there, 'train.nt')}`,
    });
  });

  it('is read where each part is of one form', async () => {
    const parts = {
      'train.nt': nt,
      'valid.ttl': '<http://x/b> <http://x/r> <http://x/a> .',
      'test.csv': 'http://x/a,http://x/r,http://x/a\n',
    };
    const { dataset } = await importPath(await fill('parts', parts), { name: 'x' });
    expect([dataset.train, dataset.valid, dataset.test].map(({ length }) => length / 3)).toEqual([1, 1, 1]);
  });
});

describe('what no table or text has', () => {
  it.each(['\t', ','])('is a million columns, between %j', async (delimiter) => {
    const name = delimiter === ',' ? 'wide.csv' : 'wide.tsv';
    const titles = Array.from({ length: 1_000_000 }, (_, i) => i).join(delimiter);
    await expect(importing(name, `${titles}\n`)).rejects.toMatchObject({
      ...{ code: 'data', path: `${join(folder, name)}:1` },
      message: 'columns: expected at most 10000, got more',
    });
  });

  const long = (before: string, after: string): Buffer =>
    Buffer.concat([Buffer.from(before), Buffer.alloc(100 * 2 ** 20, 'x'), Buffer.from(after)]);
  it.each([
    ['cell.tsv', 'a\tr\t', '\n', 'line'],
    ['cell.csv', 'a,r,"', '"\n', 'line'],
    ['cell.nt', '<http://x/a> <http://x/r> "', '" .\n', 'line'],
    ['cell.ttl', '<http://x/a> <http://x/r> """', '""" .\n', 'line'],
    [
      'cell.rdf',
      '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><r:D><r:p>',
      '</r:p></r:D></r:RDF>',
      'RDF',
    ],
    ['cell.jsonld', '{"@id":"http://x/a","http://x/r":"', '"}', 'RDF'],
  ])('is a text of 100 MB: %s', async (name, before, after, what) => {
    await expect(importing(name, long(before, after))).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(new RegExp(`^${what}: expected at most 16777216 bytes`)),
      hint: expect.stringContaining('FUZZQE_MAX_LINE_MIB'),
    });
  });
});
