import { FuzzError } from '@fuzzqe/core';
import { raiseLimit, readLimits } from '@fuzzqe/files';
import type { Quad, Term } from 'n3';
import type { DelimitedRecord } from '../files/delimited.ts';
import type { LiteralSink } from '../literals/literal-sink.ts';
import { typeOfLiteral } from '../literals/literal-type.ts';
import { createBlankPaths } from './blank-paths.ts';
import type { RdfNames } from './rdf-names.ts';
import { type LeftOut, nothingLeftOut, type TripleSink } from './triple-sink.ts';

/** What becomes of triples with a blank node as subject or object. */
export type BlankNodes = 'keep' | 'skip' | 'contract';

/** How RDF is read, file after file of one graph. */
export interface RdfReading {
  /** Takes labels and prefixes. */
  readonly names: RdfNames;
  readonly blank: BlankNodes;
  /** Takes literals that are no names; without it they are left out. */
  readonly literals?: LiteralSink | undefined;
  /** What relative IRIs are relative to; by default the URL of each file. */
  readonly base: string | undefined;
  /** Names the next blank node that its file does not name. */
  nextBlank(): string;
}

/** A reading that starts at its first file. */
export function createRdfReading(
  names: RdfNames,
  { blank = 'keep', base, literals }: Partial<Pick<RdfReading, 'blank' | 'base' | 'literals'>> = {},
): RdfReading {
  let unnamed = 0;
  // No file can use these names: none begins with a dot there.
  return { names, blank, base, literals, nextBlank: () => `.${unnamed++}` };
}

/** Takes the quads of a file. */
export interface QuadTaker {
  /** @throws FuzzError `data`: a statement that is no fact of RDF, such as a formula. */
  take(quad: Quad, line: number): void;
  /** What was left out, once all quads were taken. */
  finish(): { readonly leftOut: LeftOut; readonly notes: readonly string[] };
}

const reifies = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies';

/**
 * Sends the facts between entities among quads to a sink, and their labels to the names.
 *
 * Literals that give labels are not counted, and names of graphs are not kept. Statements about statements are counted and
 * left out, with the blank nodes that stand for these.
 */
export function createQuadTaker(
  path: string,
  sink: TripleSink,
  { names, blank, literals: sinkOfLiterals }: RdfReading,
): QuadTaker {
  let { literals: values, blankNodes, namedGraphs, annotations } = nothingLeftOut;
  const record = createTermRecord();
  const { line: longest } = readLimits();
  /** Blank nodes that stand for statements. */
  const reifiers = new Set<string>();
  const paths = blank === 'contract' ? createBlankPaths() : undefined;
  const add = (line: number, head: string, relation: string, tail: string): void => {
    record.fill(line, head, relation, tail);
    sink.add(record, 0, 1, 2);
  };
  return {
    take({ subject, predicate, object, graph }, line) {
      if (graph.termType !== 'DefaultGraph') namedGraphs++;
      if (isStatement(subject) || isStatement(object)) {
        annotations++;
        if (predicate.value === reifies && subject.termType === 'BlankNode') reifiers.add(subject.value);
        return;
      }
      if (subject.termType === 'BlankNode' && reifiers.has(subject.value)) {
        annotations++;
        return;
      }
      if (!isEntity(subject) || predicate.termType !== 'NamedNode')
        throw unsupported(path, line, subject, predicate);
      const head = keyOf(subject);
      if (object.termType === 'Literal') {
        const { value: text, language, datatype } = object;
        if (text.length > longest) throw tooLong(`${path}:${line}`, longest);
        const property = predicate.value;
        const type = typeOfLiteral(text, datatype.value, language);
        if (paths !== undefined && subject.termType === 'BlankNode') {
          paths.add(head, property, { text, type }, line);
          return;
        }
        if (names.text({ key: head, property, text, language, path })) return;
        values++;
        sinkOfLiterals?.value(head, property, type, text);
        return;
      }
      if (!isEntity(object)) throw unsupported(path, line, object, predicate);
      names.link(head, predicate.value, keyOf(object));
      const isBlank = subject.termType === 'BlankNode' || object.termType === 'BlankNode';
      if (isBlank && blank === 'skip') blankNodes++;
      else if (isBlank && paths !== undefined) paths.add(head, predicate.value, keyOf(object), line);
      else add(line, head, predicate.value, keyOf(object));
    },
    finish() {
      const notes: string[] = [];
      let lostValues = 0;
      if (paths !== undefined) {
        const { facts, lost, lostLiterals } = paths.contract(({ head, relations, last, end, line }) => {
          const relation = names.path(relations);
          if (typeof end === 'string') {
            add(line, head, relation, end);
            return;
          }
          const unit = end.type.unit || names.unit(last, relations.at(-1)!);
          values++;
          sinkOfLiterals?.value(head, relation, { ...end.type, unit }, end.text);
        });
        blankNodes += lost;
        lostValues = lostLiterals;
        notes.push(`${path}: ${facts} facts are paths through blank nodes, whose relations are called r1/r2`);
      }
      if (annotations > 0)
        notes.push(
          `${path}: left out ${annotations} statements about statements; the statements themselves are read`,
        );
      // A file of literals alone has nothing that they could be kept with.
      const literals = sinkOfLiterals === undefined || sink.facts === 0 ? values + lostValues : lostValues;
      return { leftOut: { ...nothingLeftOut, literals, blankNodes, namedGraphs, annotations }, notes };
    },
  };
}

type Entity = Extract<Term, { readonly termType: 'NamedNode' | 'BlankNode' }>;

function isEntity(term: Term): term is Entity {
  return term.termType === 'NamedNode' || term.termType === 'BlankNode';
}

function isStatement(term: { readonly termType: string }): boolean {
  return term.termType === 'Quad';
}

function keyOf(term: Entity): string {
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
}

/** The three keys of a fact as the fields of a record. */
interface TermRecord extends DelimitedRecord {
  fill(line: number, head: string, relation: string, tail: string): void;
}

function createTermRecord(): TermRecord {
  let bytes = Buffer.alloc(4096);
  const ends = [0, 0, 0, 0];
  let line = 0;
  return {
    get bytes() {
      return bytes;
    },
    get line() {
      return line;
    },
    count: 3,
    start: (field) => ends[field]!,
    end: (field) => ends[field + 1]!,
    text: (field) => bytes.toString('utf8', ends[field]!, ends[field + 1]!),
    fill(at, ...keys) {
      line = at;
      // A UTF-16 unit is at most three bytes of UTF-8.
      const most = keys.reduce((sum, key) => sum + key.length * 3, 0);
      if (most > bytes.length) bytes = Buffer.alloc(most * 2);
      keys.forEach((key, i) => {
        ends[i + 1] = ends[i]! + bytes.write(key, ends[i]!);
      });
    },
  };
}

function tooLong(place: string, longest: number): FuzzError {
  return new FuzzError('data', `literal: expected at most ${longest} bytes, got more`, {
    path: place,
    hint: raiseLimit('line'),
  });
}

const kinds: Readonly<Record<string, string>> = {
  Literal: 'a literal as subject',
  Variable: 'a variable',
  BlankNode: 'a blank node as predicate',
};

function unsupported(path: string, line: number, term: Term, predicate: Term): FuzzError {
  const odd = predicate.termType === 'NamedNode' ? term : predicate;
  return new FuzzError(
    'data',
    `RDF: expected facts between entities, got ${kinds[odd.termType] ?? 'a formula'}`,
    {
      path: `${path}:${line}`,
      hint: 'Is it N3? Convert it to Turtle, which has IRIs, blank nodes and literals only.',
    },
  );
}
