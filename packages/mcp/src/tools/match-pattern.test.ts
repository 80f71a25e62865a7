import { type ApiOptions, createApp } from '@fuzzqe/api';
import { createKnowledgeGraph } from '@fuzzqe/core';
import { parsePatternText } from '@fuzzqe/core/query';
import { type Engine, openGraphEngine } from '@fuzzqe/engine';
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
interface Explained {
  readonly entities: readonly { readonly id: number; readonly name: string }[];
  readonly degree: number;
  readonly state: string;
  readonly support: {
    readonly because: readonly {
      readonly links: readonly { readonly recorded: boolean; readonly for: readonly string[] }[];
    }[];
    readonly sets: readonly object[];
  };
}

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

  it('and says why, by links, other variables and what passes a condition', async () => {
    const pattern = '?x, ?y : spouse(?x, ?y), "works for"(?x, ?c), "works for"(?y, ?d), like(?y, Ann)';
    const result = await ask({ query: pattern, explain: true, minDegree: 0.01 });
    const { rows } = (result.structuredContent as { table: { rows: Explained[] } }).table;
    const expected = await engine.match(parsePatternText(pattern, vocabulary), {
      explain: true,
      minDegree: 0.01,
    });
    expect(rows.map(({ support }) => support.because)).toMatchObject(
      expected.rows.map(({ because }) =>
        because!.map(({ variable, links }) => ({
          variable,
          links: links.map(({ head, recorded, degree }) => ({ head: { id: head.id }, recorded, degree })),
        })),
      ),
    );
    const predicted = rows.flatMap(({ support }) => support.because.flatMap(({ links }) => links));
    expect(predicted.some(({ recorded, for: reasons }) => !recorded && reasons.length > 0)).toBe(true);
    const [{ shared }] = rows[0]!.support.sets as [{ shared: { relation: string }[] }];
    expect(shared.map(({ relation }) => relation)).toContain('"works for"');
    expect(textOf(result).replaceAll('\\"', '"')).toMatch(
      /^Why Dora, Carl:\n- Dora → "works for" → Bolt: recorded\n- Carl → "works for" → "Acme \| Co": recorded\n- Dora → spouse → Carl: predicted, degree .+\n {2}for: Because Carl spouse Dora: recorded in 60 of 61 such cases\.\n- \?y is like Ann: both /m,
    );
    // Negative control: unless it is asked for, nothing says why.
    const plain = await ask({ query: pattern, minDegree: 0.01 });
    expect(textOf(plain)).not.toContain('Why');
    expect(JSON.stringify(plain.structuredContent)).not.toContain('support');
  });

  it('and says why of yes or no, and of the answers of a query', async () => {
    const verdict = textOf(await ask({ query: 'spouse(Ann, Bob)', explain: true }));
    expect(verdict).toContain('Why:\n- Ann → spouse → Bob: recorded');
    const query = textOf(await ask({ query: 'project("works for"^-1, "Acme | Co")', explain: true, k: 1 }));
    expect(query).toContain('Why Ann:\n- "Acme | Co" → "works for"^-1 → Ann: recorded');
  });

  it.each([
    [{ query: colleagues, explain: true, count: true }, 'explain: expected none with count'],
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

describe('explain_answer takes a tuple of a pattern', () => {
  const explain = async (query: unknown, entity?: unknown): Promise<CallToolResult> =>
    client.callTool({
      name: 'explain_answer',
      arguments: { query, ...(entity === undefined ? {} : { entity }) },
    });

  it.each([
    colleagues,
    '?x, ?y : spouse(?x, ?y), "works for"(?y, "Acme | Co")',
    '?x : spouse(?x, ?y), spouse(?y, ?x)',
  ])('of %s, with the degree and the support that ask gives it', async (query) => {
    const asked = await ask({ query, explain: true, minDegree: 0.001, k: 20 });
    const { rows } = (asked.structuredContent as { table: { rows: Explained[] } }).table;
    expect(rows.some(({ state }) => state === 'predicted')).toBe(true);
    for (const { entities, degree, state, support } of rows) {
      const found = await explain(
        query,
        entities.map(({ name }) => name),
      );
      expect(found.structuredContent).toMatchObject({
        degree,
        state,
        support,
        entities: entities.map(({ id }) => ({ id })),
      });
    }
  });

  it('and of yes or no without an entity, and of one column by its entity alone', async () => {
    expect(textOf(await explain('spouse(Ann, Bob)'))).toBe(
      'Pattern: spouse(Ann, Bob)\nYes or no: recorded, degree 1\n- Ann → spouse → Bob: recorded',
    );
    const one = textOf(await explain('?x : spouse(?x, ?y), "works for"(?y, Bolt)', 'Carl'));
    expect(one).toContain('?x = Carl: recorded, degree 1');
    expect(one).toContain('- Bolt → "works for"^-1 → Dora: recorded');
  });

  it('and says of a tuple that does not answer that it does not', async () => {
    const found = await explain('?x, ?y : spouse(?x, ?y), ?x = ?y', ['Ann', 'Bob']);
    expect(textOf(found)).toContain('?x = Ann, ?y = Bob: it does not answer: degree 0');
    expect(found.structuredContent).toMatchObject({ degree: 0, state: null });
    expect(found.structuredContent).not.toHaveProperty('support');
  });

  it.each([
    [
      colleagues,
      ['Ann'],
      '$.entity: tuple: expected 2 entities, got 1\n  Give an entity for each of ?x, ?y.',
    ],
    [colleagues, 'Ann', 'expected 2 entities, got 1'],
    ['spouse(Ann, Bob)', 'Ann', 'A question of yes or no has no tuples'],
    [colleagues, ['Ann', 'Bop'], 'did you mean "Bob"'],
    ['project(spouse, Ann)', ['Ann', 'Bob'], '$.entity: entity: expected one entity, got 2'],
    ['project(spouse, Ann)', undefined, 'expected one entity, got 0'],
  ])('and says what is wrong with %j of %j', async (query, entity, said) => {
    const result = await explain(query, entity);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(said);
  });
});
