import { createKnowledgeGraph } from '@fuzzqe/core';
import { parsePatternText } from '@fuzzqe/core/query';
import { type Engine, openGraphEngine } from '@fuzzqe/engine';
import { type ApiOptions, createApp } from '@fuzzqe/engine/api';
import { defaultWeights, type RuleSet } from '@fuzzqe/evidence';
import { createVocabulary } from '@fuzzqe/names';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { mcpPart } from '../index.ts';

const named = (...keys: readonly string[]) => keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({
  entities: named('Ann', 'Bob', 'Carl', 'Dora', 'Acme | Co', 'Bolt'),
  relations: named('spouse', 'works for'),
});
/** Ann and Bob are spouses and colleagues; Carl's spouse is Dora, who works elsewhere; that Dora's spouse is Carl is not recorded. */
const facts = createKnowledgeGraph({
  entityCount: 6,
  relationCount: 4,
  triples: Int32Array.of(...[0, 0, 1, 1, 0, 0, 2, 0, 3, 0, 2, 4, 1, 2, 4, 2, 2, 4, 3, 2, 5]),
});
const rules: RuleSet = {
  relationCount: 4,
  rules: [
    { kind: 'path', relation: 0, path: [1], hits: 60, predictions: 61 },
    { kind: 'path', relation: 1, path: [0], hits: 60, predictions: 61 },
  ],
};
const engine = await openGraphEngine({
  vocabulary,
  facts,
  evidence: { weights: defaultWeights(4), rules },
});

/** A client of the official kit, which compares structured content with the output schemas. */
async function connect(of: Engine = engine, options: ApiOptions = {}): Promise<Client> {
  const app = createApp(of, { ...options, mount: [mcpPart()] });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
      fetch: async (input, init) => {
        const request = new Request(input, init);
        request.headers.set('host', 'localhost');
        return app.fetch(request);
      },
    }),
  );
  await client.listTools();
  return client;
}

const client = await connect();
const ask = async (args: Record<string, unknown>): Promise<CallToolResult> =>
  client.callTool({ name: 'ask', arguments: args });
const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');

const colleagues = '?x, ?y : spouse(?x, ?y), "works for"(?x, ?c), "works for"(?y, ?c)';
const asJson = {
  select: ['?x', '?y'],
  where: [
    { link: 'spouse', from: '?x', to: '?y' },
    { link: 'works for', from: '?x', to: '?c' },
    { link: 'works for', from: '?y', to: '?c' },
  ],
};

describe('ask takes a pattern', () => {
  it.each([
    ['text', colleagues],
    ['JSON', asJson],
    ['JSON in a text', JSON.stringify(asJson)],
  ])('as %s, and answers with a table', async (_, query) => {
    const result = await ask({ query });
    const { rows } = await engine.match(parsePatternText(colleagues, vocabulary));
    expect(result.structuredContent).toMatchObject({
      query: colleagues,
      structure: null,
      table: {
        columns: ['x', 'y'],
        rows: JSON.parse(
          JSON.stringify(rows.map(({ entities, state, degree }) => ({ entities, state, degree }))),
        ),
        exact: true,
      },
    });
    expect(result.structuredContent).not.toHaveProperty('answers');
    expect(textOf(result).split('\n')).toEqual(
      expect.arrayContaining([
        `Pattern: ${colleagues}`,
        '| ?x | ?y | state | degree |',
        '| Ann | Bob | recorded | 1 |',
        '| Bob | Ann | recorded | 1 |',
      ]),
    );
    // Negative control: they have different employers.
    expect(textOf(result)).not.toContain('| Carl | Dora | recorded');
  });

  it('and answers yes or no with a sentence', async () => {
    const verdictOf = async (query: string) => textOf(await ask({ query })).split('\n')[1];
    expect(await verdictOf('spouse(Ann, Bob)')).toBe('Yes: the recorded facts give it.');
    expect(await verdictOf('spouse(Dora, Carl)')).toMatch(
      /^Probably (yes: it is not recorded, and predicted with degree|not: it is not recorded, and predicted with) /,
    );
    expect(await verdictOf('spouse(Bolt, Bolt)')).toMatch(/^(No|Probably not): /);
  });

  it('and counts, also the answers of a query', async () => {
    const pattern = await ask({ query: '?x, ?y : spouse(?x, ?y)', count: true, k: 2 });
    expect(textOf(pattern)).toMatch(/^The recorded facts give 3 answers; about [\d.]+ are expected/m);
    const { table } = pattern.structuredContent as {
      table: { rows: unknown[]; suggestions: unknown[]; counts: { expected: number } };
    };
    // The text lists two, the count is of all.
    expect(table.rows.length + table.suggestions.length).toBe(2);
    expect(table.counts.expected).toBeGreaterThanOrEqual(3);
    const query = await ask({ query: 'project("works for"^-1, "Acme | Co")', count: true });
    expect(query.structuredContent).toMatchObject({
      query: '?x : "works for"^-1("Acme | Co", ?x)',
      table: { counts: { recorded: 3 } },
    });
    const names = await ask({ query: '?c : "works for"(Ann, ?c)' });
    expect(textOf(names)).toContain('| "Acme \\| Co" | recorded | 1 |');
  });

  it.each([
    [{ query: '?x : spous(?x, Ann)' }, 'did you mean "spouse"'],
    [{ query: '?x : spouse(?x, Anne)' }, 'did you mean "Ann"'],
    [{ query: '?x : spouse(?x, Nobody)' }, 'find_entities and find_relations search names'],
    [{ query: { where: [{ link: 'spouse', from: '?x', to: 'Anne' }] } }, '$.query.where[0].to'],
    [{ query: '?x : not spouse(?x, Ann)' }, 'only under'],
    [{ query: colleagues, mode: 'embedding' }, '$.mode: mode: expected none with a pattern'],
    [{ query: colleagues, filter: 'Ann' }, 'Add a condition to the pattern'],
    [{ query: colleagues, k: 0 }, '$.k'],
  ])('and says what is wrong with %j', async (args, said) => {
    const result = await ask(args);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(said);
  });

  it('and refuses a pattern that takes too long', async () => {
    const limited = await connect(engine, { costLimit: 0.01 });
    const result = await limited.callTool({ name: 'ask', arguments: { query: colleagues } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('$.query: pattern: expected a cost of at most 0.01 ms');
  });

  it('and teaches a pattern that this graph answers', async () => {
    const { contents } = await client.readResource({ uri: 'fuzzqe://notation' });
    const texts = [client.getInstructions() ?? '', (contents[0] as { text: string }).text];
    for (const text of texts) {
      const [, example] = / A pattern of this graph: `(.+?)`\.$/m.exec(text) ?? expect.fail(text);
      const pattern = parsePatternText(example!, vocabulary);
      expect((await engine.match(pattern)).rows[0]).toMatchObject({ state: 'recorded', entities: [{}, {}] });
    }
  });
});
