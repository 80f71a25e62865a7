import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { FuzzError, schema } from '@fuzzqe/core';
import type { Terminal } from '../../terminal/terminal.ts';
import { type FactsServer, factsServer } from './facts-server.ts';
import { type NamedFact, readFactsFile } from './read-facts-file.ts';

/** What `fuzzqe facts add` and `fuzzqe facts remove` were told. */
export interface ChangeFlags {
  readonly from?: string;
  readonly source?: string;
  readonly keyFile?: string;
  readonly json?: boolean;
}

/** So many facts are sent in one request, which takes effect whole. */
const together = 1000;
/** Milliseconds before a request that a server did not take is sent again. */
const pauses = [200, 1000, 5000];

const answer = schema.partOf({
  epoch: schema.integer({ min: 0 }),
  added: schema.integer({ min: 0 }),
  removed: schema.integer({ min: 0 }),
  unchanged: schema.integer({ min: 0 }),
});
const readAnswer = (text: string, path: string) =>
  schema.parseJson(answer, text, { code: 'runtime', what: 'answer', path });
type Counts = ReturnType<typeof readAnswer>;

/** Does `fuzzqe facts add` and `fuzzqe facts remove`. */
export async function changeFacts(
  terminal: Terminal,
  does: 'add' | 'remove',
  address: string,
  names: readonly string[],
  flags: ChangeFlags,
): Promise<void> {
  const { from, source } = flags;
  const isOfSource = does === 'remove' && source !== undefined && from === undefined && names.length === 0;
  const groups = isOfSource ? [] : groupsOf(names, flags);
  const server = await factsServer(address, flags, process.env);
  if (isOfSource) return tell(terminal, await removeSource(server, source), flags);
  let all: Counts = { epoch: 0, added: 0, removed: 0, unchanged: 0 };
  let sent = 0;
  for await (const facts of groups) {
    const { epoch, added, removed, unchanged } = await send(server, does, facts, flags.source).catch(
      (cause: unknown) => {
        throw sent === 0 ? cause : afterSome(cause, sent);
      },
    );
    sent += facts.length;
    all = {
      epoch,
      added: all.added + added,
      removed: all.removed + removed,
      unchanged: all.unchanged + unchanged,
    };
    if (facts.length === together) terminal.status(`${sent} facts sent`);
  }
  if (sent === 0)
    throw new FuzzError('data', 'facts: expected at least one, got none', { path: flags.from ?? '' });
  tell(terminal, all, flags);
}

function tell(terminal: Terminal, { epoch, added, removed, unchanged }: Counts, { json }: ChangeFlags): void {
  if (json) terminal.out(JSON.stringify({ epoch, added, removed, unchanged }));
  else terminal.out(`Epoch ${epoch}: ${added} added, ${removed} removed, ${unchanged} as they were`);
}

/** Removes the facts that a source added last, all at once. */
function removeSource(server: FactsServer, source: string): Promise<Counts> {
  return sendAgain(server, `?source=${encodeURIComponent(source)}`, { method: 'DELETE' });
}

function groupsOf(
  names: readonly string[],
  { from }: ChangeFlags,
): AsyncIterable<readonly NamedFact[]> | Iterable<readonly NamedFact[]> {
  if (from !== undefined && names.length === 0) return readFactsFile(from, together);
  const [head, relation, tail, ...more] = names;
  if (from !== undefined || !head || !relation || !tail || more.length > 0)
    throw new FuzzError(
      'usage',
      `fact: expected a head, a relation and a tail, or --from, got ${names.length} names`,
      { hint: 'Put names with spaces between quotes: fuzzqe facts add URL France borders "San Marino".' },
    );
  return [[{ head, relation, tail }]];
}

/** Sends facts. A request that may have been lost is sent again under the same key, which changes nothing twice. */
function send(
  server: FactsServer,
  does: 'add' | 'remove',
  facts: readonly NamedFact[],
  source: string | undefined,
): Promise<Counts> {
  const body = JSON.stringify({ [does]: facts.map((fact) => ({ ...fact, source: fact.source ?? source })) });
  return sendAgain(server, '', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

/** Sends a request until the server takes it, under one key. */
async function sendAgain(
  server: FactsServer,
  query: string,
  { headers, ...request }: { method: string; headers?: Record<string, string>; body?: string },
): Promise<Counts> {
  const once = { ...headers, 'idempotency-key': randomUUID() };
  for (let attempt = 0; ; attempt += 1)
    try {
      const response = await server.ask(query, { ...request, headers: once });
      return readAnswer(await response.text(), server.url);
    } catch (cause) {
      const wait = pauses[attempt];
      if (wait === undefined || !(cause instanceof FuzzError) || !cause.passing) throw cause;
      await pause(wait);
    }
}

function afterSome(cause: unknown, sent: number): unknown {
  if (!(cause instanceof FuzzError)) return cause;
  const { code, message, path } = cause;
  const before = `The ${sent} facts before are there; run the command again: they count as they were.`;
  return new FuzzError(code, message, {
    ...(path === undefined ? {} : { path }),
    hint: [cause.hint, before].filter((each) => each !== undefined).join(' '),
    cause,
  });
}
