import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import neo4j from 'neo4j-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { peekPath } from '../import/peek.ts';
import { type Neo4jSession, readSession } from './fetch-neo4j.ts';
import { createCellWriter } from './neo4j-cell.ts';
import { parseSourceAddress } from './source-address.ts';
import type { SourceTask } from './watch.ts';

const { Node, Relationship, Path, PathSegment, Record, DateTime, Date: Day, Duration, Point } = neo4j.types;
const node = (labels: string[], properties: object, id = 1): InstanceType<typeof Node> =>
  new Node(neo4j.int(id), labels, { ...properties }, String(id));
const ann = node(['Person'], { name: 'Ann', born: neo4j.int(1990) });
const film = node(['Film'], { id: neo4j.int('9007199254740993'), title: 'Alien' }, 2);
const likes = new Relationship(neo4j.int(3), neo4j.int(1), neo4j.int(2), 'LIKES', { since: 3 });

const address = parseSourceAddress('neo4j://ann:secret@h/films', 'MATCH (h)-[r]->(t) RETURN h, r, t');
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-neo4j-'));
});
afterAll(() => rm(folder, { recursive: true }));

let runs = 0;
/** A session that gives rows of the driver's own records, and then throws. */
function sessionOf(
  rows: readonly (readonly unknown[])[],
  error?: Error,
): Neo4jSession & { isClosed: boolean } {
  const session = {
    isClosed: false,
    async *run(query: string) {
      expect(query).toBe(address.query);
      for (const row of rows) yield new Record(['h', 'r', 't'], [...row]);
      if (error !== undefined) throw error;
    },
    async close() {
      session.isClosed = true;
    },
  };
  return session;
}

async function read(
  session: Neo4jSession,
  more: Partial<SourceTask> = {},
): Promise<{ text: string; notes: readonly string[] }> {
  const own = join(folder, String(runs++));
  await mkdir(own);
  const { path, notes } = await readSession({ address, folder: own, patience: 1000, ...more }, session);
  return { text: await readFile(path, 'utf8'), notes };
}

describe('rows of Neo4j', () => {
  it('call nodes by a property, and relationships by their type', async () => {
    const session = sessionOf([
      [ann, likes, film],
      ['Bob, Jr.', 'knows', null],
    ]);
    const { text, notes } = await read(session);
    expect(text).toBe('h,r,t\nAnn,LIKES,9007199254740993\n"Bob, Jr.",knows,\n');
    expect(notes).toEqual([
      'neo4j://h/films: h: nodes are called by their property name; nodes with the same one are one entity',
      'neo4j://h/films: t: nodes are called by their property id; nodes with the same one are one entity',
    ]);
    expect(session.isClosed).toBe(true);
  });

  it('have values as Cypher writes them', () => {
    const { textOf } = createCellWriter('neo4j://h');
    const time = new DateTime(2020, 1, 2, 3, 4, 5, 6, 3600);
    expect(
      [
        neo4j.int(7),
        7n,
        1.5,
        true,
        '',
        undefined,
        new Day(2020, 1, 2),
        time,
        new Duration(1, 2, 3, 4),
        new Int8Array([1, -1]),
        [neo4j.int(1), 'a', null],
        { a: neo4j.int(1), b: time },
      ].map((value) => textOf(value, 'x')),
    ).toEqual([
      ...['7', '7', '1.5', 'true', '', '', '2020-01-02', '2020-01-02T03:04:05.000000006+01:00'],
      ...['P1M2DT3.000000004S', '01ff', '[1,"a",null]'].map((text) => text.replace('[1,', '["1",')),
      '{"a":"1","b":"2020-01-02T03:04:05.000000006+01:00"}',
    ]);
    expect(textOf(new Point(neo4j.int(4326), 1, 2), 'x')).toMatch(/^Point\{/);
  });

  it('refuse a node without a name, and a path', async () => {
    const nameless = sessionOf([[node(['Thing', 'Odd'], { weight: 3, name: '' }), likes, film]]);
    await expect(read(nameless)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(
        /^h: expected a node with one of uri, .* got one of \(:Thing:Odd\) with the properties weight, name$/,
      ),
      hint: 'Return what names the node: RETURN h.weight, ….',
    });
    expect(nameless.isClosed).toBe(true);
    const path = new Path(ann, film, [new PathSegment(ann, likes, film)]);
    await expect(read(sessionOf([['a', 'r', path]]))).rejects.toMatchObject({
      message: 't: expected a node, a relationship or a value, got a path',
    });
  });

  it('are told to have ended early, to be refused, and to be none', async () => {
    const failure = (code: string): Error => Object.assign(new Error('told\nmore'), { code });
    await expect(read(sessionOf([[ann, likes, film]], failure('ServiceUnavailable')))).rejects.toMatchObject({
      code: 'runtime',
      message: 'source: expected rows of Neo4j, got "told" after 1 rows',
      path: 'neo4j://h/films',
    });
    await expect(read(sessionOf([], failure('Neo.ClientError.Statement.SyntaxError')))).rejects.toMatchObject(
      {
        code: 'usage',
        message: 'query: Neo4j refuses it: "told" (Neo.ClientError.Statement.SyntaxError)',
      },
    );
    await expect(read(sessionOf([]))).rejects.toMatchObject({
      message: 'source: expected rows of Neo4j, got none',
    });
  });

  it('are waited for no longer than they may take', async () => {
    const silent: Neo4jSession = {
      run: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
      close: async () => {},
    };
    await expect(read(silent, { patience: 50 })).rejects.toMatchObject({
      message: 'source: expected more, got nothing for 0.05 s',
    });
  });

  it('are none where no server is', async () => {
    await expect(peekPath('bolt://ann:secret@127.0.0.1:1?query=RETURN 1')).rejects.toMatchObject({
      code: 'runtime',
      path: 'bolt://127.0.0.1:1',
      message: expect.stringMatching(/^source: expected rows of Neo4j, got ".*" after 0 rows$/),
    });
  });
});
