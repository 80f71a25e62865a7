import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { FuzzError, schema } from '@fuzzqe/core';
import type { ChangeKind, FactChange, FactStore } from '@fuzzqe/facts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type FactsServer, factsServer } from './facts-server.ts';
import { isFactsStore, withFactsStore } from './facts-store.ts';
import { type NamedFact, readFactsFile } from './read-facts-file.ts';

/** What a command that changes facts was told. */
export interface ChangeFlags {
  readonly from?: string;
  readonly source?: string;
  /** Of `add`. */
  readonly validFrom?: string;
  readonly validUntil?: string;
  readonly create?: boolean;
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
  rejected: schema.withDefault(schema.integer({ min: 0 }), 0),
  unchanged: schema.integer({ min: 0 }),
});
const readAnswer = (text: string, path: string) =>
  schema.parseJson(answer, text, { code: 'runtime', what: 'answer', path });
type Counts = ReturnType<typeof readAnswer>;

/** Does `fuzzqe facts add`, `fuzzqe facts remove` and `fuzzqe facts reject`. */
export async function changeFacts(
  terminal: Terminal,
  does: ChangeKind,
  address: string,
  names: readonly string[],
  flags: ChangeFlags,
): Promise<void> {
  const { from, source } = flags;
  const isOfSource = does === 'remove' && source !== undefined && from === undefined && names.length === 0;
  const groups = isOfSource ? [] : groupsOf(names, flags);
  const change = { does, groups, flags };
  if (await isFactsStore(address)) {
    if (flags.create === true)
      throw new FuzzError('usage', '--create: expected the URL of a server, which has a graph, got a store', {
        path: address,
        hint: 'Serve the store with `fuzzqe serve --facts`, and give the URL of the server.',
      });
    if (isOfSource)
      throw new FuzzError(
        'usage',
        'source: expected the URL of a server, which knows what a source added, got a store',
        {
          path: address,
          hint: 'Serve the store with `fuzzqe serve --facts`, and give the URL of the server.',
        },
      );
    await withFactsStore(terminal, address, (store) => changeStore(terminal, store, change));
    return;
  }
  const server = await factsServer(address, flags, process.env);
  if (isOfSource) return tell(terminal, await removeSource(server, source), flags);
  let all: Counts = { epoch: 0, added: 0, removed: 0, rejected: 0, unchanged: 0 };
  await sendAll(terminal, change, async (facts, key) => {
    const { epoch, added, removed, rejected, unchanged } = await send(server, {
      does,
      facts: facts.map((fact) => withFlags(fact, flags)),
      key,
      create: flags.create === true,
    });
    all = {
      epoch,
      added: all.added + added,
      removed: all.removed + removed,
      rejected: all.rejected + rejected,
      unchanged: all.unchanged + unchanged,
    };
  });
  tell(terminal, all, flags);
}

function tell(terminal: Terminal, counts: Counts, { json }: ChangeFlags): void {
  const { epoch, added, removed, rejected, unchanged } = counts;
  const gone = `${removed} removed${rejected === 0 ? '' : `, ${rejected} rejected`}`;
  terminal.out(
    json ? JSON.stringify(counts) : `Epoch ${epoch}: ${added} added, ${gone}, ${unchanged} as they were`,
  );
}

/** Removes the facts that a source added last, all at once. */
function removeSource(server: FactsServer, source: string): Promise<Counts> {
  const headers = { 'idempotency-key': randomUUID() };
  return patiently(async () => {
    const response = await server.ask(`?source=${encodeURIComponent(source)}`, { method: 'DELETE', headers });
    return readAnswer(await response.text(), server.url);
  });
}

/** A fact, of which the flags say what the fact does not say itself. */
function withFlags(
  { head, relation, tail, source, date, confidence, from, until }: NamedFact,
  flags: ChangeFlags,
): Omit<FactChange, 'does'> {
  const said = { source: source ?? flags.source, date, confidence };
  const holds = { from: from ?? flags.validFrom, until: until ?? flags.validUntil };
  const given = Object.entries({ ...said, ...holds }).filter(([, value]) => value !== undefined);
  return { head, relation, tail, ...Object.fromEntries(given) };
}

interface Change {
  readonly does: ChangeKind;
  readonly groups: AsyncIterable<readonly NamedFact[]> | Iterable<readonly NamedFact[]>;
  readonly flags: ChangeFlags;
}

/** Appends to a store itself, which takes keys as they are given. */
async function changeStore(terminal: Terminal, store: FactStore, change: Change): Promise<void> {
  const { does, flags } = change;
  let epoch = 0;
  const changes = await sendAll(terminal, change, async (facts, idempotencyKey) => {
    const given = facts.map((fact) => ({ does, ...withFlags(fact, flags) }));
    epoch = await store.append({ at: new Date().toISOString(), idempotencyKey, changes: given });
  });
  terminal.out(
    flags.json ? JSON.stringify({ epoch, changes }) : `Epoch ${epoch}: ${changes} changes written`,
  );
}

/**
 * Sends facts group by group, and gives their number. A group that may have been lost is sent again under the same key, which changes
 * nothing twice.
 */
async function sendAll(
  terminal: Terminal,
  { groups, flags }: Change,
  sendOne: (facts: readonly NamedFact[], key: string) => Promise<void>,
): Promise<number> {
  let sent = 0;
  for await (const facts of groups) {
    const key = randomUUID();
    await patiently(() => sendOne(facts, key)).catch((cause: unknown) => {
      throw sent === 0 ? cause : afterSome(cause, sent);
    });
    sent += facts.length;
    if (facts.length === together) terminal.status(`${sent} facts sent`);
  }
  if (sent === 0)
    throw new FuzzError('data', 'facts: expected at least one, got none', { path: flags.from ?? '' });
  return sent;
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

interface Group {
  readonly does: ChangeKind;
  readonly facts: readonly NamedFact[];
  readonly key: string;
  readonly create: boolean;
}

async function send(server: FactsServer, { does, facts, key, create }: Group): Promise<Counts> {
  const body = JSON.stringify({ [does]: facts });
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const response = await server.ask(create ? '?create=true' : '', { method: 'POST', headers, body });
  return readAnswer(await response.text(), server.url);
}

/** Does again what failed for a passing reason. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1)
    try {
      return await work();
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
