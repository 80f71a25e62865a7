import { type ApiContext, parseJsonBytes, RequestError, type TimeLimit } from '@fuzzqe/api';
import { describeValue, schema } from '@fuzzqe/core';
import { type BadChange, badChanges, type ChangedThing } from '@fuzzqe/facts/apply';

/** What a body of changes is held to, and until when it is read. */
export interface ChangesLimits {
  readonly batch: Pick<ApiContext['batch'], 'body' | 'lines'>;
  readonly time: TimeLimit;
}

/** What each change of a request is. */
export interface EachForm<T> {
  readonly reader: schema.Schema<T>;
  readonly what: ChangedThing;
  readonly howTo: string;
}

/** Reads changes one by one, and notes the bad changes. */
export interface EachReader<T, More> {
  readonly bad: BadChange[];
  /** Reads a change; `more` has what the change does not say. */
  read(value: unknown, place: string, more?: More): void;
  /** The changes with their places. Throws: `usage`, with the bad changes. */
  done(): readonly (More & T & { readonly place: string })[];
}

/** Starts without changes; `usual` is what changes are that do not say it. */
export function createEachReader<T, More extends object>(
  { reader, what, howTo }: EachForm<T>,
  usual: More,
): EachReader<T, More> {
  const changes: (More & T & { readonly place: string })[] = [];
  const bad: BadChange[] = [];
  return {
    bad,
    read(value, place, more = usual) {
      const [issue] = schema.issuesOf(reader, value, '');
      if (issue === undefined) {
        changes.push({
          ...more,
          ...schema.parse(reader, value, { code: 'usage', what, path: place }),
          place,
        });
        return;
      }
      const field = issue.path.replace(/^[$.]+/, '');
      const got = field === '' ? ` (${describeValue(value)})` : '';
      bad.push({ place, message: `${field === '' ? '' : `${field}: `}${issue.message}${got}`.slice(0, 300) });
    },
    done() {
      if (bad.length > 0) throw badChanges('usage', bad, howTo, what);
      return changes;
    },
  };
}

/** Reads lines of JSON, a change each. Throws: RequestError `too-large`. */
export async function readEachLine(
  bytes: Uint8Array,
  change: Pick<EachReader<unknown, object>, 'bad' | 'read'>,
  { batch, time, howTo }: ChangesLimits & { readonly howTo: string },
): Promise<void> {
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
}

/** The error of a request with more changes than a batch may have. */
export function tooMany(most: number): RequestError {
  return new RequestError(
    'too-large',
    `body: expected at most ${most} changes, got more`,
    'Send the rest as another request.',
  );
}
