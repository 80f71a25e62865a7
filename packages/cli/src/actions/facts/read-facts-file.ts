import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { FuzzError, schema } from '@fuzzqe/core';
import { storageError } from '@fuzzqe/files';
import { validityFields, withValidity } from '@fuzzqe/names';

/** A fact by names, as `/v1/facts` takes it. */
export interface NamedFact {
  readonly head: string;
  readonly relation: string;
  readonly tail: string;
  readonly source?: string | undefined;
  readonly date?: string | undefined;
  readonly confidence?: number | undefined;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

const fact = withValidity(
  schema.object({
    head: schema.string,
    relation: schema.string,
    tail: schema.string,
    source: schema.optional(schema.string),
    date: schema.optional(schema.string),
    confidence: schema.optional(schema.number({ above: 0, max: 1 })),
    ...validityFields,
  }),
);

/**
 * Reads facts of a file, in groups: a line has head, relation and tail between tabs, or is a JSON object.
 *
 * @throws FuzzError `data` with `path:line`: a line that is no fact. `storage`: the file cannot be read.
 */
export async function* readFactsFile(path: string, together: number): AsyncGenerator<readonly NamedFact[]> {
  let group: NamedFact[] = [];
  let line = 0;
  try {
    for await (const text of createInterface({ input: createReadStream(path, 'utf8') })) {
      line += 1;
      if (text.trim() === '') continue;
      group.push(readLine(text, `${path}:${line}`));
      if (group.length < together) continue;
      yield group;
      group = [];
    }
  } catch (cause) {
    throw cause instanceof FuzzError ? cause : storageError('file of facts', path, cause, 'nothing was sent');
  }
  if (group.length > 0) yield group;
}

function readLine(text: string, path: string): NamedFact {
  if (text.trimStart().startsWith('{'))
    return schema.parseJson(fact, text, { code: 'data', what: 'fact', path });
  const [head, relation, tail, ...more] = text.split('\t');
  if (head && relation && tail && more.length === 0) return { head, relation, tail };
  throw new FuzzError('data', `fact: expected three texts between tabs, got ${JSON.stringify(text)}`, {
    path,
    hint: 'A line is: head TAB relation TAB tail; or {"head": …, "relation": …, "tail": …}.',
  });
}
