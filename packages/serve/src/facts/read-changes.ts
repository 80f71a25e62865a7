import { describeValue, FuzzError, schema } from '@fuzzqe/core';
import {
  type ApiContext,
  checkMediaType,
  lineTypes,
  parseJsonBytes,
  RequestError,
  readBody,
  type TimeLimit,
} from '@fuzzqe/engine/api';
import { type ChangeKind, changeKinds, factFields } from '@fuzzqe/facts';
import { type BadChange, badChanges, type NamedChange } from '@fuzzqe/facts/apply';
import { parametersOnce } from './one-fact.ts';

const factSchema = schema.object(factFields);
const changeSchema = schema.object({
  ...factFields,
  does: schema.withDefault(schema.oneOf(changeKinds), 'add'),
});
const listsSchema = schema.object({
  add: schema.withDefault(schema.array(schema.anything), []),
  remove: schema.withDefault(schema.array(schema.anything), []),
  reject: schema.withDefault(schema.array(schema.anything), []),
});

const howTo =
  'Send {"add": [...], "remove": [...], "reject": [...]}, one fact, or a change a line; a fact has head, relation and tail.';

/** What a body of changes is held to, and until when it is read. */
export interface ChangesLimits {
  readonly batch: Pick<ApiContext['batch'], 'body' | 'lines'>;
  readonly time: TimeLimit;
}

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
 * Reads the one fact that a request removes: from the parameters of its address, else from its body.
 *
 * @throws As `readChanges`.
 */
export async function readRemoval(request: Request, limits: ChangesLimits): Promise<readonly NamedChange[]> {
  const parameters = parametersOnce(request);
  const change = createReader(factSchema);
  if (Object.keys(parameters).length > 0) change.read(parameters, '$', 'remove');
  else {
    checkMediaType(request.headers, ['application/json']);
    const bytes = await readBody(request, limits.batch.body, howTo);
    change.read(await parseJsonBytes(bytes, limits.time, 'body', howTo), '$', 'remove');
  }
  return change.done();
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
    for (const [i, value] of lists[name]!.entries()) change.read(value, `$.${name}[${i}]`, kind);
  return change.done();
}

async function readLines(bytes: Uint8Array, { batch, time }: ChangesLimits): Promise<readonly NamedChange[]> {
  const change = createReader(changeSchema);
  let count = 0;
  for (let [start, number] = [0, 1]; start < bytes.length; number++) {
    const found = bytes.indexOf(0x0a, start);
    const end = found === -1 ? bytes.length : found;
    const line = bytes.subarray(start, end);
    start = end + 1;
    if (line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) continue;
    if (++count > batch.lines) throw tooMany(batch.lines);
    // Others have turns meanwhile.
    if (count % 256 === 0) await new Promise((resolve) => setImmediate(resolve));
    const place = `line ${number}`;
    try {
      change.read(await parseJsonBytes(line, time, 'line', howTo), place);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      change.bad.push({ place, message: error.message });
    }
  }
  return change.done();
}

/** Reads changes one by one, and notes the bad changes. */
function createReader(
  reader: schema.Schema<Omit<NamedChange, 'place' | 'does'> & Partial<Pick<NamedChange, 'does'>>>,
) {
  const changes: NamedChange[] = [];
  const bad: BadChange[] = [];
  return {
    bad,
    read(value: unknown, place: string, does: ChangeKind = 'add'): void {
      const [issue] = schema.issuesOf(reader, value, '');
      if (issue === undefined) {
        changes.push({
          does,
          ...schema.parse(reader, value, { code: 'usage', what: 'fact', path: place }),
          place,
        });
        return;
      }
      const field = issue.path.replace(/^[$.]+/, '');
      const got = field === '' ? ` (${describeValue(value)})` : '';
      bad.push({ place, message: `${field === '' ? '' : `${field}: `}${issue.message}${got}`.slice(0, 300) });
    },
    done(): readonly NamedChange[] {
      if (bad.length > 0) throw badChanges('usage', bad, howTo);
      return changes;
    },
  };
}

function tooMany(most: number): RequestError {
  return new RequestError(
    'too-large',
    `body: expected at most ${most} changes, got more`,
    'Send the rest as another request.',
  );
}
