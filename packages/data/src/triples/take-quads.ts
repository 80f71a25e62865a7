import { FuzzError } from '@fuzzqe/core';
import { raiseLimit, readLimits } from '@fuzzqe/files';
import type { Literal, Quad, Term } from 'n3';
import type { DelimitedRecord } from '../files/delimited.ts';
import type { LiteralSink } from '../literals/literal-sink.ts';
import { typeOfLiteral } from '../literals/literal-type.ts';
import { createBlankPaths } from './blank-paths.ts';
import type { GatheredProvenance } from './gather-provenance.ts';
import type { RdfNames } from './rdf-names.ts';
import { createRdfStatements } from './rdf-statements.ts';
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
  /** Takes what is said of facts; without it that is left out. */
  readonly provenance?: GatheredProvenance | undefined;
  /** What relative IRIs are relative to; by default the URL of each file. */
  readonly base: string | undefined;
  /** Names the next blank node that its file does not name. */
  nextBlank(): string;
}

/** A reading that starts at its first file. */
export function createRdfReading(
  names: RdfNames,
  {
    blank = 'keep',
    base,
    literals,
    provenance,
  }: Partial<Pick<RdfReading, 'blank' | 'base' | 'literals' | 'provenance'>> = {},
): RdfReading {
  let unnamed = 0;
  // No file can use these names: none begins with a dot there.
  return { names, blank, base, literals, provenance, nextBlank: () => `.${unnamed++}` };
}

/** Takes the quads of a file. */
export interface QuadTaker {
  /** @throws FuzzError `data`: a statement that is no fact of RDF, such as a formula. */
  take(quad: Quad, line: number): void;
  /** What was left out, once all quads were taken. */
  finish(): { readonly leftOut: LeftOut; readonly notes: readonly string[] };
}

/** A statement may say what it is about after other triples of the same node: so many wait for it. */
const mostWaiting = 64;

/**
 * Sends the facts between entities among quads to a sink, and their labels to the names.
 *
 * Literals that give labels are not counted. The name of a graph is the source of its facts. What is said of statements goes to the
 * provenance; other triples about statements are counted and left out, with the nodes that stand for statements.
 */
export function createQuadTaker(
  path: string,
  sink: TripleSink,
  { names, blank, literals: sinkOfLiterals, provenance }: RdfReading,
): QuadTaker {
  let { literals: values, blankNodes, namedGraphs } = nothingLeftOut;
  const record = createTermRecord();
  const { line: longest } = readLimits();
  const statements = createRdfStatements(path, provenance, (term) =>
    isEntity(term) ? keyOf(term) : undefined,
  );
  const sources = new Map<string, number>();
  const sourceOf = (graph: Term): number => {
    if (provenance === undefined || graph.termType !== 'NamedNode') return 0;
    const known = sources.get(graph.value) ?? provenance.numberOf({ source: graph.value });
    sources.set(graph.value, known);
    return known;
  };
  const paths = blank === 'contract' ? createBlankPaths() : undefined;
  const add = (line: number, head: string, relation: string, tail: string, said = 0): void => {
    record.fill(line, head, relation, tail);
    sink.add(record, 0, 1, 2, said);
  };
  const takeFact = ({ subject, predicate, object, graph }: EntityQuad, line: number): void => {
    const head = keyOf(subject);
    if (object.termType === 'Literal') {
      const { value: text, language, datatype } = object;
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
    names.link(head, predicate.value, keyOf(object));
    const isBlank = subject.termType === 'BlankNode' || object.termType === 'BlankNode';
    if (isBlank && blank === 'skip') blankNodes++;
    else if (isBlank && paths !== undefined) paths.add(head, predicate.value, keyOf(object), line);
    else add(line, head, predicate.value, keyOf(object), sourceOf(graph));
  };
  /** The last triples, of one subject, which may yet turn out to be a statement. */
  let waiting: { readonly quad: EntityQuad; readonly line: number }[] = [];
  let run: string | undefined;
  /** Whether a triple of this subject was about a statement. */
  let isAbout = false;
  const takeWaiting = (): void => {
    const all = waiting;
    waiting = [];
    for (const { quad, line } of all) if (!isAbout || !statements.take(quad, line)) takeFact(quad, line);
  };
  return {
    take(quad, line) {
      if (quad.graph.termType !== 'DefaultGraph') namedGraphs++;
      const name = isEntity(quad.subject) ? keyOf(quad.subject) : undefined;
      if (name !== run) {
        takeWaiting();
        run = name;
        isAbout = false;
      }
      if (statements.take(quad, line)) {
        isAbout = true;
        return;
      }
      const { subject, predicate, object } = quad;
      if (!isEntity(subject) || predicate.termType !== 'NamedNode')
        throw unsupported(path, line, subject, predicate);
      if (object.termType === 'Literal' && object.value.length > longest)
        throw tooLong(`${path}:${line}`, longest);
      if (object.termType !== 'Literal' && !isEntity(object))
        throw unsupported(path, line, object, predicate);
      if (waiting.length === mostWaiting) takeWaiting();
      waiting.push({ quad: { subject, predicate, object, graph: quad.graph }, line });
    },
    finish() {
      takeWaiting();
      const annotations = statements.finish();
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
          `${path}: left out ${annotations} triples about statements, which say nothing that is kept`,
        );
      // A file of literals alone has nothing that they could be kept with.
      const literals = sinkOfLiterals === undefined || sink.facts === 0 ? values + lostValues : lostValues;
      return { leftOut: { ...nothingLeftOut, literals, blankNodes, namedGraphs, annotations }, notes };
    },
  };
}

/** A triple whose parts can be those of a fact or of an attribute. */
interface EntityQuad extends Pick<Quad, 'predicate' | 'graph'> {
  readonly subject: Entity;
  readonly object: Entity | Literal;
}

type Entity = Extract<Term, { readonly termType: 'NamedNode' | 'BlankNode' }>;

function isEntity(term: Term): term is Entity {
  return term.termType === 'NamedNode' || term.termType === 'BlankNode';
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
