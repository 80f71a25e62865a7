import { FuzzError } from '@fuzzqe/core';
import type { DelimitedRecord } from '../files/delimited.ts';
import { createIntList } from './int-list.ts';
import { createKeyBatch } from './key-batch.ts';
import { isRdf, type TripleFormat } from './triple-format.ts';
import type { TripleNames } from './triple-names.ts';

/** What a file holds beside facts between entities. */
export interface LeftOut {
  /** RDF triples whose object is a literal, and cells of numbers in a table of many columns. */
  readonly literals: number;
  /** RDF triples left out because their subject or object is a blank node. */
  readonly blankNodes: number;
  /** RDF triples in a named graph, whose name is the source of the fact. */
  readonly namedGraphs: number;
  /** RDF triples about statements that say nothing that is kept. */
  readonly annotations: number;
  /** Lines of comments. */
  readonly comments: number;
  /** Lines that could not be read, and were passed over as was asked. */
  readonly badLines: number;
}

/** Of a file of nothing but facts. */
export const nothingLeftOut: LeftOut = {
  literals: 0,
  blankNodes: 0,
  namedGraphs: 0,
  annotations: 0,
  comments: 0,
  badLines: 0,
};

/** What stands in a file of triples. */
export interface TripleFile {
  /** Flat h, r, t, in the order of the lines, with odd r where a fact is stated along an inverse. */
  readonly triples: Int32Array;
  /** The number of what is said of each fact; 0 if nothing is, absent if nothing is said of any. */
  readonly said?: Int32Array | undefined;
  /** How many facts there were, those left out included. */
  readonly facts: number;
  /** How many were left out because they name what is not known. */
  readonly dropped: number;
  readonly leftOut: LeftOut;
  /** How the file was read, in sentences. */
  readonly notes: readonly string[];
}

/** What to do with facts that name what is not known. */
export type UnknownNames = 'refuse' | 'drop';

/** Gathers the facts of a file. */
export interface TripleSink {
  /** Adds the fact whose head, relation and tail stand in those fields of the record; a relation may be its name. `said` is a number of what is said of the fact. */
  add(record: DelimitedRecord, head: number, relation: number | Buffer, tail: number, said?: number): void;
  /** @throws FuzzError `data`: names that are not known, with their number and `path:line`; no facts. */
  finish(leftOut: LeftOut, notes?: readonly string[]): TripleFile;
  /** How many facts there were so far. */
  readonly facts: number;
}

/** How many facts are looked up together: their names fit into a processor's own caches. */
const batchFacts = 256;

/** An empty sink for the facts of that file. */
export function createTripleSink(
  path: string,
  names: TripleNames,
  unknown: UnknownNames,
  format: TripleFormat = 'tsv',
): TripleSink {
  const triples = createIntList();
  const said = createIntList();
  let facts = 0;
  let dropped = 0;
  let firstUnknown: Unknown | undefined;

  /** The facts that wait: head and tail of each, its relation and its line. */
  const entities = createKeyBatch(2 * batchFacts);
  const ids = new Int32Array(2 * batchFacts);
  const relations = new Int32Array(batchFacts);
  const lines = new Float64Array(batchFacts);
  const saidOfWaiting = new Int32Array(batchFacts);
  let isSaid = false;
  /** The first unknown relation among them, as it is written. */
  let unknownRelation: string | undefined;

  /** Facts of which nothing was said need no number until something is said of a fact. */
  const sayOfLast = (number: number): void => {
    while (said.length < triples.length / 3 - 1) said.push(0);
    said.push(number);
  };
  const takeWaiting = (): void => {
    names.entities(entities, ids);
    for (let i = 0; i < entities.count; i += 2) {
      const relation = relations[i / 2]!;
      const [head, tail] = [ids[i]!, ids[i + 1]!];
      if (head >= 0 && relation >= 0 && tail >= 0) {
        triples.push(head);
        triples.push(relation);
        triples.push(tail);
        if (isSaid) sayOfLast(saidOfWaiting[i / 2]!);
        continue;
      }
      dropped++;
      firstUnknown ??= {
        line: lines[i / 2]!,
        ...(relation < 0
          ? { kind: 'relation', text: unknownRelation! } // the first unknown fact's, as this one is
          : { kind: 'entity', text: entities.text(head < 0 ? i : i + 1) }),
      };
    }
    entities.clear();
    unknownRelation = undefined;
  };

  return {
    add(record, head, relation, tail, number = 0) {
      facts++;
      const { bytes } = record;
      const isName = typeof relation !== 'number';
      const id = isName
        ? names.relation(relation, 0, relation.length)
        : names.relation(bytes, record.start(relation), record.end(relation));
      if (id < 0) unknownRelation ??= isName ? relation.toString() : record.text(relation);
      relations[entities.count / 2] = id;
      lines[entities.count / 2] = record.line;
      saidOfWaiting[entities.count / 2] = number;
      isSaid ||= number > 0;
      entities.push(bytes, record.start(head), record.end(head));
      entities.push(bytes, record.start(tail), record.end(tail));
      if (entities.isFull) takeWaiting();
    },
    get facts() {
      return facts;
    },
    finish(leftOut, notes = []) {
      takeWaiting();
      if (firstUnknown !== undefined && unknown === 'refuse') {
        const { kind, text, line } = firstUnknown;
        const more = dropped === 1 ? '' : ` (the first of ${dropped} lines with a name that is not known)`;
        throw new FuzzError(
          'data',
          `${kind}: expected one that is known, got ${JSON.stringify(text)}${more}`,
          { path: `${path}:${line}`, hint: names.hint },
        );
      }
      if (triples.length === 0) {
        throw new FuzzError('data', 'triples: expected at least one, got none', {
          path,
          hint:
            dropped > 0
              ? 'All name what no training fact names. Do both files come from one graph?'
              : expectedFacts(format, leftOut),
        });
      }
      return {
        ...{ triples: triples.values(), facts, dropped, leftOut, notes },
        ...(isSaid ? { said: said.values() } : {}),
      };
    },
  };
}

/** What a file of that format has to hold, where there is no fact in it. */
function expectedFacts(format: TripleFormat, { literals, blankNodes, comments, badLines }: LeftOut): string {
  const among = (parts: readonly (readonly [count: number, what: string])[]): string =>
    parts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])).join(' and ');
  if (!isRdf(format)) {
    const rest = among([
      [comments, 'lines of comments'],
      [badLines, 'bad lines'],
    ]);
    const only = rest === '' ? '' : ` All of the file is ${rest}.`;
    return `A line is: ${['head', 'relation', 'tail'].join(format === 'csv' ? ',' : ' TAB ')}.${only}`;
  }
  const left = among([
    [literals, 'with a literal as object'],
    [blankNodes, 'with a blank node'],
  ]);
  const json =
    format === 'jsonld' && left === ''
      ? ' Is it JSON-LD? Its names are IRIs, or a @context makes them IRIs.'
      : '';
  return `A fact is a triple between two entities; labels and prefixes are none.${json}${left === '' ? '' : ` Left out: ${left}.`}${blankNodes > 0 ? ' Without --skip-blank, blank nodes are entities.' : ''}`;
}

/** A name that is not known, and where it stands. */
interface Unknown {
  readonly kind: 'entity' | 'relation';
  readonly text: string;
  readonly line: number;
}
