import { FuzzError, schema } from '@fuzzqe/core';
import { isValidity, validityFields, withValidity } from '@fuzzqe/names';
import { namesSchema } from './entity-names.ts';
import type { ChangeKind, FactBatch, FactChange, NewFactBatch } from './fact-store.ts';
import { isText, text, textOf } from './text-fields.ts';

/** Most changes of a batch. */
export const mostChanges = 1_000_000;

/** Most bytes of a batch as JSON. */
export const mostBatchBytes: number = 64 * 2 ** 20;

/** Most entities that a batch names. */
const mostNames = 100_000;

const longestIdempotencyKey = 255;

/** The fields of a change but for what it does, as schemas. */
export const factFields: {
  readonly head: schema.Schema<string>;
  readonly relation: schema.Schema<string>;
  readonly tail: schema.Schema<string>;
  readonly source: schema.OptionalSchema<string>;
  readonly date: schema.OptionalSchema<string>;
  readonly confidence: schema.OptionalSchema<number>;
  readonly from: schema.OptionalSchema<string>;
  readonly until: schema.OptionalSchema<string>;
} = {
  head: text,
  relation: text,
  tail: text,
  source: schema.optional(text),
  date: schema.optional(text),
  confidence: schema.optional(schema.number({ above: 0, max: 1 })),
  ...validityFields,
};

/** What changes do. */
export const changeKinds: readonly ChangeKind[] = ['add', 'remove', 'reject'];

const changeSchema: schema.Schema<FactChange> = withValidity(
  schema.object({
    does: schema.oneOf(changeKinds),
    ...factFields,
    said: schema.optional(schema.number({ min: 0, max: 1 })),
  }),
);

const isoTime: schema.Schema<string> = schema.checked(
  schema.matching(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/,
    'a time as 2026-11-28T12:00:00Z',
  ),
  (time, report) => {
    if (Number.isNaN(Date.parse(time))) report([], 'a time that the calendar has', JSON.stringify(time));
  },
);

const headFields = {
  at: isoTime,
  by: schema.optional(text),
  idempotencyKey: schema.optional(textOf(longestIdempotencyKey)),
  creates: schema.optional(
    schema.object({
      entities: schema.optional(schema.array(text)),
      relations: schema.optional(schema.array(text)),
    }),
  ),
  names: schema.optional(schema.array(namesSchema, { min: 1 })),
} as const;

/** Refuses a batch that says nothing. */
const withContent = <
  T extends Pick<FactBatch, 'creates' | 'names'> & { readonly changes: readonly unknown[] },
>(
  batch: schema.Schema<T>,
): schema.Schema<T> =>
  schema.checked(batch, (read, report) => {
    if (read.changes.length === 0 && !saysNames(read))
      report(['changes'], 'a change, or names with it', 'none');
  });

/** Whether the head of a batch says something by itself. */
export function saysNames({ creates, names = [] }: Pick<FactBatch, 'creates' | 'names'>): boolean {
  return names.length + (creates?.entities?.length ?? 0) + (creates?.relations?.length ?? 0) > 0;
}

// Each change is looked at by itself: a schema for a million changes takes seconds, and lists too many issues.
const batchSchema = withContent(
  schema.object({
    ...headFields,
    names: schema.optional(schema.array(namesSchema, { min: 1, max: mostNames })),
    changes: schema.array(schema.anything, { max: mostChanges }),
  }),
);

const storedFields = {
  epoch: schema.integer({ min: 1 }),
  flushed: schema.integer({ min: 0 }),
  ...headFields,
} as const;
const storedHeadSchema = schema.object(storedFields);
// A compacted batch may have more changes and names.
const anyChanges = schema.array(schema.anything);
const storedSchema = withContent(schema.object({ ...storedFields, changes: anyChanges }));
const sharedSchema = withContent(
  schema.object({
    epoch: storedFields.epoch,
    ...headFields,
    changes: anyChanges,
  }),
);

/** What a log keeps of a batch in addition to its changes. */
export interface StoredHead extends Omit<FactBatch, 'changes'> {
  /** Epoch of the last batch that was durable when this one was written. */
  readonly flushed: number;
}

/**
 * Reads a batch of a caller; the result shares nothing with it.
 *
 * @throws FuzzError `data`: the first part that is wrong, with its path.
 */
export function checkBatch(batch: unknown): NewFactBatch {
  const { changes, ...head } = schema.parse(batchSchema, batch, { code: 'data', what: 'batch', path: '$' });
  return { ...head, changes: changes.map((change, at) => checkChange(change, 'batch', `$.changes[${at}]`)) };
}

/** Reads a batch as a server gives it to others. Throws: `data`. */
export function readSharedBatch(json: string, path: string): FactBatch {
  const { changes, ...head } = schema.parseJson(sharedSchema, json, { code: 'data', what: 'batch', path });
  return { ...head, changes: changes.map((change) => checkChange(change, 'batch', path)) };
}

/** Reads a batch of a log without its changes. Throws: `data`. */
export function checkStoredHead(head: unknown, path: string): StoredHead {
  return schema.parse(storedHeadSchema, head, { code: 'data', what: 'batch', path });
}

/** The error of a stored batch that this version would not have written: the first part that is wrong, or its form. */
export function unreadable(batch: unknown, path: string): FuzzError {
  try {
    const { changes } = schema.parse(storedSchema, batch, { code: 'data', what: 'batch', path });
    for (const [at, change] of changes.entries()) checkChange(change, `batch: changes[${at}]`, path);
  } catch (cause) {
    if (cause instanceof FuzzError) return cause;
    throw cause;
  }
  return new FuzzError('data', 'batch: expected JSON as this version writes it, got another form', {
    path,
    hint: 'Another program changed this line. Restore the file from a copy.',
  });
}

/** A change without anything that a change does not have. */
function checkChange(change: unknown, what: string, path: string): FactChange {
  if (!isChange(change)) return schema.parse(changeSchema, change, { code: 'data', what, path });
  const { does, head, relation, tail, source, date, confidence, from, until, said } = change;
  return {
    does,
    head,
    relation,
    tail,
    ...(source === undefined ? {} : { source }),
    ...(date === undefined ? {} : { date }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
    ...(said === undefined ? {} : { said }),
  };
}

/** Whether `changeSchema` reads a value: the same question a hundred times faster, which is asked of each change. */
export function isChange(value: unknown): value is FactChange {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const key in value) if (!isField(key)) return false;
  const { does, head, relation, tail, source, date, confidence, from, until, said } = value as Readonly<
    Record<string, unknown>
  >;
  return (
    (does === 'add' || does === 'remove' || does === 'reject') &&
    isText(head) &&
    isText(relation) &&
    isText(tail) &&
    (source === undefined || isText(source)) &&
    (date === undefined || isText(date)) &&
    (confidence === undefined || (typeof confidence === 'number' && confidence > 0 && confidence <= 1)) &&
    ((from === undefined && until === undefined) || isValidity(from, until)) &&
    (said === undefined || (typeof said === 'number' && said >= 0 && said <= 1))
  );
}

function isField(key: string): boolean {
  switch (key) {
    case 'does':
    case 'head':
    case 'relation':
    case 'tail':
    case 'source':
    case 'date':
    case 'confidence':
    case 'from':
    case 'until':
    case 'said':
      return true;
    default:
      return false;
  }
}

/** The error of a batch that is too large. */
export function tooLarge(): FuzzError {
  return new FuzzError('data', `batch: expected at most ${mostBatchBytes} bytes as JSON, got more`, {
    path: '$',
    hint: 'Split the batch.',
  });
}
