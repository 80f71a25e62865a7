import { checkMediaType, lineTypes, parseJsonBytes, readBody } from '@fuzzqe/api';
import { FuzzError, schema } from '@fuzzqe/core';
import { type ChangeKind, changeKinds, factFields, withValidity } from '@fuzzqe/facts';
import type { NamedChange } from '@fuzzqe/facts/apply';
import { parametersOnce } from './one-fact.ts';
import { type ChangesLimits, createEachReader, type EachReader, readEachLine, tooMany } from './read-each.ts';

type Does = Pick<NamedChange, 'does'>;
type GivenFact = Omit<NamedChange, 'place' | 'does'> & Partial<Does>;

/** Reads a fact. */
export const factSchema: schema.Schema<GivenFact> = withValidity(schema.object(factFields));
/** Reads a fact and what happens to it. */
export const changeSchema: schema.Schema<GivenFact> = withValidity(
  schema.object({
    ...factFields,
    does: schema.withDefault(schema.oneOf(changeKinds), 'add'),
  }),
);
const listsSchema = schema.object({
  add: schema.withDefault(schema.array(schema.anything), []),
  remove: schema.withDefault(schema.array(schema.anything), []),
  reject: schema.withDefault(schema.array(schema.anything), []),
});

const howTo =
  'Send {"add": [...], "remove": [...], "reject": [...]}, one fact, or a change a line; a fact has head, relation and tail.';

/**
 * Reads the changes of a request: JSON or lines of JSON.
 *
 * @throws RequestError `media-type`, `too-large`, `encoding` or `syntax`. FuzzError `usage`: what is no fact, each with its place.
 */
export async function readChanges(request: Request, limits: ChangesLimits): Promise<readonly NamedChange[]> {
  const type = checkMediaType(request.headers, ['application/json', ...lineTypes]);
  const bytes = await readBody(request, limits.batch.body, howTo);
  const read = type === 'application/json' ? readLists : readLines;
  const changes = await read(bytes, limits);
  if (changes.length > 0) return changes;
  throw new FuzzError('usage', 'facts: expected at least one change, got none', { hint: howTo });
}

/**
 * Reads the facts that a request removes: one from the parameters of its address or from JSON, or a fact a line.
 *
 * @throws As `readChanges`.
 */
export async function readRemoval(request: Request, limits: ChangesLimits): Promise<readonly NamedChange[]> {
  const parameters = parametersOnce(request);
  const change = createReader(factSchema, { does: 'remove' });
  if (Object.keys(parameters).length > 0) change.read(parameters, '$');
  else {
    const type = checkMediaType(request.headers, ['application/json', ...lineTypes]);
    const bytes = await readBody(request, limits.batch.body, howTo);
    if (type === 'application/json')
      change.read(await parseJsonBytes(bytes, limits.time, 'body', howTo), '$');
    else await readEachLine(bytes, change, { ...limits, howTo });
  }
  const changes = change.done();
  if (changes.length > 0) return changes;
  throw new FuzzError('usage', 'facts: expected at least one fact, got none', { hint: howTo });
}

const judgementsSchema = schema.object({
  accept: schema.withDefault(schema.array(schema.anything), []),
  reject: schema.withDefault(schema.array(schema.anything), []),
});

/**
 * Reads the judgements of a request: facts that are accepted, and links that are rejected.
 *
 * @throws As `readChanges`.
 */
export async function readJudgements(
  request: Request,
  { batch, time }: ChangesLimits,
): Promise<readonly NamedChange[]> {
  const hint = 'Send {"accept": [...], "reject": [...]}; a fact has head, relation and tail.';
  checkMediaType(request.headers, ['application/json']);
  const body = await parseJsonBytes(await readBody(request, batch.body, hint), time, 'body', hint);
  const lists = schema.parse(judgementsSchema, body, { code: 'usage', what: 'judgements', path: '$' });
  const changes = readAll(lists, { reject: 'reject', accept: 'add' }, batch.lines);
  if (changes.length > 0) return changes;
  throw new FuzzError('usage', 'judgements: expected at least one, got none', { hint });
}

async function readLists(bytes: Uint8Array, { batch, time }: ChangesLimits): Promise<readonly NamedChange[]> {
  const body = await parseJsonBytes(bytes, time, 'body', howTo);
  const one = createReader(changeSchema);
  if (typeof body !== 'object' || body === null || 'head' in body) {
    one.read(body, '$');
    return one.done();
  }
  const lists = schema.parse(listsSchema, body, { code: 'usage', what: 'facts', path: '$' });
  // A fact of several lists is what the last list says.
  return readAll(lists, { remove: 'remove', reject: 'reject', add: 'add' }, batch.lines);
}

/** Reads lists of facts in the order of `does`, which says what happens to the facts of each list. Throws: as `readChanges`. */
function readAll(
  lists: Readonly<Record<string, readonly unknown[]>>,
  does: Readonly<Record<string, ChangeKind>>,
  most: number,
): readonly NamedChange[] {
  const change = createReader(factSchema);
  if (Object.values(lists).reduce((sum, { length }) => sum + length, 0) > most) throw tooMany(most);
  for (const [name, kind] of Object.entries(does))
    for (const [i, value] of lists[name]!.entries()) change.read(value, `$.${name}[${i}]`, { does: kind });
  return change.done();
}

async function readLines(bytes: Uint8Array, limits: ChangesLimits): Promise<readonly NamedChange[]> {
  const change = createReader(changeSchema);
  await readEachLine(bytes, change, { ...limits, howTo });
  return change.done();
}

/** Reads changes one by one; a change that does not say what it does is as usual. */
function createReader(
  reader: schema.Schema<GivenFact>,
  usual: Does = { does: 'add' },
): EachReader<GivenFact, Does> {
  return createEachReader<GivenFact, Does>({ reader, what: 'fact', howTo }, usual);
}
