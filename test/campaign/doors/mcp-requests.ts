import assert from 'node:assert/strict';
import { FuzzError } from '@fuzzqe/core';
import fc, { type Arbitrary } from 'fast-check';
import { jsonSigns, mutated, utf8 } from '../mutations.ts';
import { type HttpInput, text, tree } from './http-inputs.ts';
import { patternWords } from './http-patterns.ts';
import { maybe } from './maybe.ts';
import { patternJson, patternText } from './patterns.ts';

const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    ...[0, -1, 0.5, 1e300, 2 ** 31, 2 ** 53, null, true, '', '\0', '1', [], [[]], {}, '__proto__', '\ud800'],
    'x'.repeat(20_000),
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
/** What fits, or one time in ten anything. */
const mostly = (fitting: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: fitting }, { weight: 1, arbitrary: hostile });
/** An object of some of these keys, and now and then one more. */
const fields = (of: Record<string, Arbitrary<unknown>>): Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(fc.record(of, { requiredKeys: [] }), maybe(hostile))
    .map(([known, extra]) => (extra === undefined ? known : { ...known, extra }));

const query = mostly(
  fc.oneof(
    { weight: 1, arbitrary: patternText(patternWords) },
    { weight: 1, arbitrary: patternJson(patternWords) },
    { weight: 3, arbitrary: fc.constantFrom<unknown>('project(r0, e1)', { project: 'r0', from: 'e1' }) },
    { weight: 2, arbitrary: text },
    { weight: 1, arbitrary: tree },
    { weight: 1, arbitrary: tree.map((each) => JSON.stringify(each)) },
  ),
);
const entity = mostly(fc.constantFrom<unknown>('e1', 'e 1', 3, '#3', '"e 39"', 39, 40, 'e', 'nobody'));
const count = mostly(fc.constantFrom(1, 2, 16, 64, 100, 200, 1000));
const offset = mostly(fc.constantFrom(0, 1, 39, 40, 10_000, 10_001));
const page = fields({
  text: mostly(fc.constantFrom('', 'e', 'e 1', 'r', 'entity', '*', 'x'.repeat(3000))),
  offset,
  limit: count,
});
const calls: Readonly<Record<string, Arbitrary<unknown>>> = {
  find_entities: page,
  find_relations: page,
  describe_entity: fc
    .tuple(entity, fields({ relations: count, offset, recorded: count, predicted: count }))
    .map(([of, more]) => ({ entity: of, ...more })),
  ask: fc
    .tuple(
      query,
      fields({
        k: count,
        mode: mostly(fc.constantFrom('sets', 'embedding')),
        minDegree: mostly(fc.constantFrom(0, 0.5, 1)),
        exclude: mostly(fc.constantFrom('known', 'none')),
        explain: mostly(fc.boolean()),
        filter: query,
      }),
    )
    .map(([of, more]) => ({ query: of, ...more })),
  explain_answer: fc.record({
    query,
    entity: fc.oneof(entity, fc.array(entity, { maxLength: 3 }), fc.constant(undefined)),
  }),
  list_structures: fc.constant({}),
  no_such_tool: fields({ query }),
};
/** A tool and its arguments, those of another now and then. */
const call = fc.oneof(
  ...Object.entries(calls).map(([name, given]) => ({
    weight: 6,
    arbitrary: mostly(given).map((args): unknown => ({ name, arguments: args })),
  })),
  {
    weight: 2,
    arbitrary: fc
      .tuple(mostly(fc.constantFrom(...Object.keys(calls))), fc.oneof(...Object.values(calls)))
      .map(([name, args]) => ({ name, arguments: args })),
  },
  { weight: 1, arbitrary: hostile },
);

const about = { name: 'campaign', version: '1' };
const others: Arbitrary<readonly [string, unknown]> = fc.oneof(
  fc
    .record({
      protocolVersion: mostly(fc.constantFrom('2025-06-18', '2025-03-26', '2026-07-28', '1')),
      capabilities: mostly(fc.constant({})),
      clientInfo: mostly(fc.constant(about)),
    })
    .map((params) => ['initialize', params] as const),
  fc
    .tuple(
      fc.constantFrom(
        ...['ping', 'tools/list', 'resources/list', 'prompts/list', 'resources/templates/list'],
        ...[
          'server/discover',
          'subscriptions/listen',
          'completion/complete',
          'logging/setLevel',
          'tasks/get',
        ],
        ...['notifications/initialized', 'notifications/cancelled', 'notifications/progress', 'toString', ''],
      ),
      mostly(fields({ cursor: hostile, requestId: hostile, level: hostile, notifications: hostile })),
    )
    .map(([method, params]) => [method, params] as const),
  mostly(fc.constantFrom('fuzzqe://notation', 'fuzzqe://', 'file:///etc/passwd', 'x')).map(
    (uri) => ['resources/read', { uri }] as const,
  ),
  fc
    .record({
      name: mostly(fc.constantFrom('answer_question', 'other')),
      arguments: mostly(fields({ question: mostly(fc.constantFrom('Who?', 'x'.repeat(3000))) })),
    })
    .map((params) => ['prompts/get', params] as const),
);
const request = fc.oneof(
  { weight: 3, arbitrary: call.map((params): readonly [string, unknown] => ['tools/call', params]) },
  { weight: 1, arbitrary: others },
);
const id = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<unknown>(1, 2, 'a') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      ...[0, -1, 1.5, 2 ** 53, 1e300, null, {}, [1], true, '', 'x'.repeat(9999)],
    ),
  },
  { weight: 1, arbitrary: fc.constant(undefined) },
);
const revision = fc.oneof(
  { weight: 9, arbitrary: fc.constant('2026-07-28') },
  { weight: 1, arbitrary: fc.constantFrom('2025-06-18', '9999-99-99', '') },
);

/** A message, the method that it names, and whether it says of itself which revision of the protocol it is of. */
interface Message {
  readonly method: string;
  readonly json: unknown;
  readonly revision: string | undefined;
}

const message: Arbitrary<Message> = fc
  .tuple(request, id, mostly(fc.constant('2.0')), maybe(revision), hostile)
  .map(([[method, params], of, jsonrpc, told, other]) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': told,
      'io.modelcontextprotocol/clientInfo': about,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const enveloped =
      told === undefined || typeof params !== 'object' || params === null ? params : { ...params, _meta };
    // An answer to a question that nobody asked is a message, too.
    const json =
      other === true ? { jsonrpc, id: of, result: {} } : { jsonrpc, id: of, method, params: enveloped };
    return { method, json, revision: told };
  });

const headersOf = (
  { method, json, revision: told }: Message,
  more: readonly (readonly [string, string])[],
): HttpInput['headers'] => {
  // Written by `message`: an object, whose params may be anything.
  const { params } = json as { readonly params?: { readonly name?: unknown; readonly uri?: unknown } | null };
  const named = params?.name ?? params?.uri;
  const plain = typeof named === 'string' && /^[\w:/]{1,40}$/.test(named);
  const all = new Map<string, string>([
    ['host', 'localhost'],
    ['content-type', 'application/json'],
    ['accept', 'application/json, text/event-stream'],
    ...(told === undefined
      ? []
      : ([
          ['mcp-protocol-version', told],
          ['mcp-method', method],
          ...(plain ? [['mcp-name', named] as const] : []),
        ] as const)),
    ...more,
  ]);
  return [...all];
};
const otherHeader = fc.constantFrom<readonly [string, string]>(
  ['host', 'evil.example'],
  ['host', 'localhost:99999'],
  ['origin', 'https://evil.example'],
  ['origin', 'null'],
  ['accept', 'text/html'],
  ['accept', 'application/json'],
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset=utf-16'],
  ['mcp-protocol-version', '1'],
  ['mcp-method', 'ping'],
  ['mcp-name', '=?base64?!!?='],
  ['mcp-session-id', 'x'],
  ['last-event-id', '-1'],
);

const single = message.map((each) => [each, JSON.stringify(each.json)] as const);
const batch = fc.oneof(
  fc
    .array(message, { maxLength: 6 })
    .map((all) => [all[0], JSON.stringify(all.map(({ json }) => json))] as const),
  // Short questions of which many fit into a request, and that have long answers.
  fc
    .tuple(
      fc.constantFrom('ping', 'tools/list', 'resources/read', 'tools/call'),
      fc.constantFrom(2, 100, 101, 5000),
    )
    .map(([method, times]) => {
      const params =
        method === 'resources/read'
          ? { uri: 'fuzzqe://notation' }
          : { name: 'list_structures', arguments: {} };
      const all = Array.from({ length: times }, (_, at) => ({ jsonrpc: '2.0', id: at, method, params }));
      return [undefined, JSON.stringify(all)] as const;
    }),
);

/** Messages of the Model Context Protocol: calls of tools, what comes before them, several at once, and what is none. */
export const mcpInput: Arbitrary<HttpInput> = fc
  .oneof({ weight: 4, arbitrary: single }, { weight: 1, arbitrary: batch })
  .chain(([first, json]) =>
    fc
      .tuple(
        fc.oneof(
          { weight: 4, arbitrary: fc.constant(Buffer.from(json)) },
          {
            weight: 1,
            arbitrary: mutated(utf8(fc.constant(json)), [...jsonSigns, '"id":1,', '"params":', '[[[[[[[[']),
          },
        ),
        fc.oneof(
          { weight: 5, arbitrary: fc.constant([]) },
          { weight: 1, arbitrary: fc.array(otherHeader, { maxLength: 2 }) },
        ),
        fc.oneof(
          { weight: 8, arbitrary: fc.constant('/mcp') },
          {
            weight: 1,
            arbitrary: fc.constantFrom('/mcp/tiny', '/mcp/other', '/mcp/', '/mcp/%00', '/mcp?x=1'),
          },
        ),
      )
      .map(([bytes, more, path]) => ({
        method: 'POST',
        path,
        headers: headersOf(first ?? { method: '', json: {}, revision: undefined }, more),
        body: Buffer.from(bytes).toString('latin1'),
      })),
  );

interface Reply {
  readonly jsonrpc: string;
  readonly id?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text: string }[] };
}

/** The messages of an answer, which is JSON or a stream of events. */
function repliesOf(answer: string): readonly Reply[] {
  const texts = /^(?:event|data|id|:)/.test(answer)
    ? [...answer.matchAll(/^data: ?(.+)$/gm)].map(([, data]) => data!)
    : [answer];
  return texts.flatMap((each) => JSON.parse(each) as Reply | readonly Reply[]);
}

/**
 * Holds an answer to the protocol: each message is one result or one error, and none is the server's fault.
 *
 * @throws FuzzError `usage`: every message was refused, as the door's refusals are.
 */
export function expectReplies(answer: string): void {
  if (answer === '') return;
  const refused: string[] = [];
  const replies = repliesOf(answer);
  for (const { jsonrpc, error, result } of replies) {
    assert.equal(jsonrpc, '2.0');
    assert.ok(error === undefined || result === undefined);
    // The kit also says -32603 of params that its own schemas refuse, with what they say.
    assert.ok(error?.code !== -32603 || /^\[\s*\{[\s\S]*"path"/.test(error.message), error?.message);
    if (error !== undefined) refused.push(`${error.code} ${error.message}`);
    else if (result?.isError === true) refused.push(result.content![0]!.text);
  }
  if (refused.length > 0 && refused.length === replies.length)
    throw new FuzzError('usage', refused[0]!.slice(0, 2000));
}
