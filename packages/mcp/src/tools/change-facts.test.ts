import { createApp, type FactsAccess, type GivenBatch, type LinkConflict } from '@fuzzqe/api';
import { createKnowledgeGraph, FuzzError } from '@fuzzqe/core';
import { openGraphEngine } from '@fuzzqe/engine';
import { defaultWeights } from '@fuzzqe/evidence';
import { createVocabulary, type Provenances } from '@fuzzqe/names';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { mcpPart } from '../index.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
let written: Parameters<FactsAccess['write']>[];
let judged: Parameters<FactsAccess['judge']>[];
let wanted: Parameters<FactsAccess['next']>[0][];
let conflicts: readonly LinkConflict[];
let batches: GivenBatch[];
let refusal: string | undefined;
let failure: FuzzError | undefined;
let made = 0;

/** Facts that a test looks at: what a server does with them is tested with the server. */
const facts: FactsAccess = {
  store: {
    id: 'store',
    get epoch() {
      return batches.length;
    },
    async *since(epoch) {
      yield* batches.filter((each) => each.epoch > epoch);
    },
  },
  refusalOf: () => refusal,
  writerOf: () => ({}),
  tellEpoch: () => undefined,
  async write(...given) {
    if (failure !== undefined) throw failure;
    written.push(given);
    const counts = { epoch: 7, added: given[0].length, removed: 0, unchanged: 0, repeated: false };
    return made === 0 ? counts : { ...counts, created: made };
  },
  update: () => Promise.reject(new Error('expected no update')),
  async judge(judgements, accepted) {
    judged.push([judgements, accepted]);
    const epoch = { epoch: 8, added: 1, removed: 0, rejected: 1, unchanged: 0, repeated: false };
    return { conflicts, written: conflicts.length > 0 && accepted === 'refuse' ? undefined : epoch };
  },
  async next(options) {
    wanted.push(options);
    const [head, relation, tail] = ['France', 'borders', 'Monaco'].map((key) => ({
      key,
      label: `the\n${key}`,
    }));
    return [
      { head: head!, relation: relation!, tail: tail!, degree: 0.5, teaches: 1, conflicts: ['Too far.'] },
    ];
  },
};

async function connect(provenances?: Provenances): Promise<Client> {
  const engine = await openGraphEngine({
    vocabulary: createVocabulary({ entities: named('France', 'Monaco'), relations: named('borders') }),
    facts: createKnowledgeGraph({ entityCount: 2, relationCount: 2, triples: Int32Array.of(0, 0, 1) }),
    evidence: { weights: defaultWeights(2), rules: { relationCount: 2, rules: [] } },
    provenances,
  });
  const app = createApp(engine, {
    facts,
    mount: [mcpPart()],
    middleware: [
      (context, next) => {
        context.set('caller', 'ann');
        return next();
      },
    ],
  });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: async (address, init) => {
      const request = new Request(address, init);
      request.headers.set('host', 'localhost');
      return app.fetch(request);
    },
  });
  await client.connect(transport);
  // The client compares structured content with the output schemas from here on.
  await client.listTools();
  return client;
}

const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
const fact = { head: 'France', relation: 'borders', tail: 'Monaco' };

beforeEach(() => {
  written = [];
  judged = [];
  wanted = [];
  conflicts = [];
  batches = [];
  refusal = undefined;
  failure = undefined;
  made = 0;
});

describe('tools that change facts', () => {
  it('are not there for a caller who may not write', async () => {
    refusal = 'Ask with another key.';
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('ask');
    expect(tools.map(({ name }) => name)).not.toContain('add_facts');
    const called = client.callTool({ name: 'add_facts', arguments: { facts: [fact] } });
    await expect(called).rejects.toThrow(/add_facts/);
    expect(written).toEqual([]);
  });

  it('say what they change', async () => {
    const { tools } = await (await connect()).listTools();
    const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints.get('add_facts')).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(hints.get('remove_facts')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(hints.get('remove_facts')).toMatchObject({ idempotentHint: true, openWorldHint: false });
    expect(hints.get('judge_links')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(hints.get('links_to_judge')).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints.get('facts_log')).toMatchObject({ readOnlyHint: true });
    expect(hints.get('ask')).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  });

  it('say when facts hold, which questions with a date ask for', async () => {
    const triples = Int32Array.of(0, 0, 1);
    const client = await connect({ stated: [{ from: '1861' }], triples, places: Int32Array.of(0) });
    const dated = { ...fact, from: '1861', until: '1919-05' };
    await client.callTool({ name: 'add_facts', arguments: { facts: [dated] } });
    expect(written[0]![0]).toEqual([{ does: 'add', ...dated, place: '$.facts[0]' }]);
    for (const bad of [{ from: 'soon' }, { from: '2001', until: '2000' }]) {
      const facts = [{ ...fact, ...bad }];
      expect((await client.callTool({ name: 'add_facts', arguments: { facts } })).isError).toBe(true);
    }
    expect(written).toHaveLength(1);
    const ask = async (more: object): Promise<string> => {
      const given = { query: 'project(borders, France)', minDegree: 1, ...more };
      return textOf((await client.callTool({ name: 'ask', arguments: given })) as CallToolResult);
    };
    expect(await ask({ at: '1862' })).toMatch(/^Facts that hold at 1862\.\n1\. Monaco .*recorded/m);
    expect(await ask({ at: '1860' })).not.toContain('recorded, degree');
    expect(await ask({})).not.toContain('Facts that hold');
    expect(await ask({ at: 'soon' })).toContain('expected a date as 2001');
  });

  it('write facts by the names of queries, in the name of the caller, with the epoch and the counts', async () => {
    const client = await connect();
    const given = [
      { ...fact, source: 'atlas' },
      { head: '"Monaco"', relation: '"borders"^-1', tail: '#0' },
    ];
    const added = await client.callTool({ name: 'add_facts', arguments: { facts: given } });
    expect(added.structuredContent).toEqual({ epoch: 7, added: 2, removed: 0, unchanged: 0 });
    expect(textOf(added)).toContain('Epoch 7: 2 added');
    await client.callTool({ name: 'remove_facts', arguments: { facts: [fact] } });
    expect(written.map(([changes, writer]) => [changes, writer?.by])).toEqual([
      [
        [
          { does: 'add', ...fact, source: 'atlas', place: '$.facts[0]' },
          { does: 'add', head: 'Monaco', relation: 'borders^-1', tail: '#0', place: '$.facts[1]' },
        ],
        'ann',
      ],
      [[{ does: 'remove', ...fact, place: '$.facts[0]' }], 'ann'],
    ]);
  });

  it('create names only if a call says so, and say how many there are', async () => {
    const client = await connect();
    const add = (more: object) =>
      client.callTool({ name: 'add_facts', arguments: { facts: [fact], ...more } });
    expect(textOf(await add({}))).not.toContain('created');
    made = 2;
    const created = await add({ create: true });
    expect(created.structuredContent).toMatchObject({ epoch: 7, created: 2 });
    expect(textOf(created)).toContain('2 new names were created');
    expect(written.map(([, writer]) => writer?.create)).toEqual([false, true]);
    const removal = { name: 'remove_facts', arguments: { facts: [fact], create: true } };
    expect((await client.callTool(removal)).isError).toBe(true);
    expect((await add({ create: 'yes' })).isError).toBe(true);
    expect(written).toHaveLength(2);
    const { tools } = await client.listTools();
    const text = JSON.stringify(tools.find(({ name }) => name === 'add_facts'));
    expect(text).toContain('with the agreement of the user');
  });

  it.each([
    ['no facts', { facts: [] }],
    ['a fact without a tail', { facts: [{ head: 'a', relation: 'b' }] }],
    ['another field', { facts: [{ ...fact, at: 'now' }] }],
    ['a confidence above 1', { facts: [{ ...fact, confidence: 2 }] }],
    ['too many facts', { facts: Array.from({ length: 1001 }, () => fact) }],
  ])('refuse %s', async (_, args) => {
    const result = await (await connect()).callTool({ name: 'add_facts', arguments: args });
    expect([result.isError, written]).toEqual([true, []]);
    expect(textOf(result)).toContain('$.facts');
  });

  it('say which name is wrong and what is near, and hide what only the log may know', async () => {
    const client = await connect();
    const call = () => client.callTool({ name: 'add_facts', arguments: { facts: [fact] } });
    const hint = 'did you mean "France"?';
    failure = new FuzzError('vocabulary', 'fact: got "Frence"', { path: '$.facts[0]', hint });
    expect(textOf(await call())).toMatch(
      /\$\.facts\[0\].*Frence[\s\S]*did you mean "France"\?[\s\S]*find_entities/,
    );
    failure = new FuzzError('storage', '/srv/facts is full', { passing: true, toCallers: 'No changes now.' });
    const away = await call();
    expect([away.isError, textOf(away)]).toEqual([true, expect.stringContaining('No changes now.')]);
    expect(textOf(away)).not.toContain('/srv');
  });
});

describe('judge_links', () => {
  const judge = async (args: Record<string, unknown>) =>
    (await connect()).callTool({ name: 'judge_links', arguments: args });
  const speaksAgainst = { ...fact, kind: 'secondTail', message: 'France borders\nSpain already.' } as const;

  it('accepts and rejects links', async () => {
    const result = await judge({ accept: [{ ...fact, source: 'ann' }], reject: [{ ...fact, head: '"#1"' }] });
    expect(result.structuredContent).toEqual({
      written: { epoch: 8, added: 1, removed: 0, rejected: 1, unchanged: 0 },
      conflicts: [],
    });
    expect(textOf(result)).toBe('Epoch 8: 1 added, 0 removed, 1 rejected, 0 as they were.');
    expect(judged).toEqual([
      [
        [
          { does: 'add', ...fact, source: 'ann', place: '$.accept[0]' },
          { does: 'reject', ...fact, head: '#1', place: '$.reject[0]' },
        ],
        'refuse',
      ],
    ]);
  });

  it('shows conflicts, and writes in spite of them only where it is told to', async () => {
    conflicts = [speaksAgainst];
    const refused = await judge({ accept: [fact] });
    expect(refused.structuredContent).toEqual({ conflicts: [speaksAgainst] });
    expect(textOf(refused)).toMatch(
      /^Nothing is written.*\n- France \| borders \| Monaco: France borders Spain/,
    );
    const anyway = await judge({ accept: [fact], conflicts: 'accept' });
    expect(anyway.structuredContent).toMatchObject({ written: { epoch: 8 }, conflicts: [speaksAgainst] });
    expect(judged.map(([, accepted]) => accepted)).toEqual(['refuse', 'accept']);
  });

  it.each([
    ['no links', {}],
    [
      'too many links',
      { accept: Array.from({ length: 600 }, () => fact), reject: Array.from({ length: 600 }, () => fact) },
    ],
  ])('refuses %s', async (_, args) => {
    const result = await judge(args);
    expect([result.isError, judged]).toEqual([true, []]);
    expect(textOf(result)).toContain('1 to 1000 links');
  });
});

describe('links_to_judge', () => {
  it('proposes links by keys that judge_links takes', async () => {
    const client = await connect();
    const result = await client.callTool({ name: 'links_to_judge', arguments: { entity: '"France"' } });
    expect(wanted).toEqual([{ entity: 'France', limit: 10 }]);
    expect(result.structuredContent).toEqual({
      links: [
        {
          ...fact,
          labels: ['the\nFrance', 'the\nborders', 'the\nMonaco'],
          ...{ degree: 0.5, teaches: 1, conflicts: ['Too far.'] },
        },
      ],
    });
    expect(textOf(result)).toBe('- the France | the borders | the Monaco (0.5; Too far.)');
  });
});

describe('facts_log', () => {
  const change = { does: 'add', ...fact } as const;
  const log = async (args: Record<string, unknown>) =>
    (await connect()).callTool({ name: 'facts_log', arguments: args });

  it('lists the changes after an epoch, in parts', async () => {
    batches = [
      { epoch: 1, at: 'then', by: 'ann', changes: [change] },
      { epoch: 2, at: 'later', changes: [{ ...change, does: 'remove', source: 'a\nb' }, change, change] },
      { epoch: 3, at: 'now', changes: [change] },
    ];
    const first = await log({ limit: 3 });
    expect(first.structuredContent).toEqual({
      epoch: 3,
      store: 'store',
      batches: [
        { epoch: 1, at: 'then', by: 'ann', changes: [change], omitted: 0 },
        {
          epoch: 2,
          at: 'later',
          changes: [{ ...change, does: 'remove', source: 'a\nb' }, change],
          omitted: 1,
        },
      ],
      next: 2,
    });
    expect(textOf(first)).toContain('- France | borders | Monaco (a b)');
    expect(textOf(await log({ since: 2 }))).toContain('Epoch 3, now');
    expect((await log({ since: 3 })).structuredContent).toEqual({ epoch: 3, store: 'store', batches: [] });
  });

  it('lists names and attributes as well, and counts them as changes', async () => {
    const alias = { kind: 'alias', language: '', text: 'La\nFrance' } as const;
    const area = { type: 'number', language: '', unit: 'km²', value: '551695' } as const;
    batches = [
      {
        ...{ epoch: 1, at: 'then', changes: [change] },
        names: [
          {
            key: 'France',
            label: 'French Republic',
            aliases: [alias],
            attributes: [{ key: 'area', values: [area] }],
          },
          { key: 'Monaco', label: null, attributes: [{ key: 'area', values: null }] },
        ],
      },
    ];
    const whole = await log({});
    expect(whole.structuredContent).toMatchObject({
      batches: [
        {
          names: [
            {
              ...{ entity: 'France', label: 'French Republic', aliases: ['La\nFrance'] },
              attributes: [{ key: 'area', values: ['551695'] }],
            },
            { entity: 'Monaco', label: null, attributes: [{ key: 'area', values: null }] },
          ],
          ...{ changes: [change], omitted: 0 },
        },
      ],
    });
    expect(textOf(whole)).toContain(
      '~ France | label: French Republic | aliases: La France | area: 551695\n~ Monaco | label: as in the bundle | area: as in the bundle\n+ France',
    );
    expect((await log({ limit: 1 })).structuredContent).toMatchObject({
      batches: [{ names: [{ entity: 'France' }], changes: [], omitted: 2 }],
    });
  });

  it('goes back some epochs unless told', async () => {
    batches = Array.from({ length: 30 }, (_, i) => ({ epoch: i + 1, at: 'then', changes: [change] }));
    const { structuredContent } = await log({});
    expect(structuredContent).toMatchObject({
      epoch: 30,
      batches: [{ epoch: 11 }, ...new Array(19).fill({})],
    });
  });
});
