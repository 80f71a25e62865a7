import { QueryEngine } from '@comunica/query-sparql-rdfjs-lite';
import type { Bindings, Quad, Term } from '@rdfjs/types';
import { toAlgebra } from '@traqula/algebra-sparql-1-1';
import type { Algebra } from '@traqula/algebra-transformations-1-1';
import type { Query } from '@traqula/rules-sparql-1-1';
import { BufferedIterator } from 'asynciterator';
import { DataFactory } from 'rdf-data-factory';
import type { SparqlResult } from '../results/sparql-result.ts';
import type { RdfTerm } from '../terms/rdf-term.ts';
import type { Triple, TriplePattern, TripleSource } from '../terms/triple-source.ts';

// The build makes one file of this module and Comunica, so nothing but types is imported from this package.

/** How much a query may give, and until when. */
export interface EvaluateHereOptions {
  /** The most rows or triples. */
  readonly most: number;
  /** The error about more rows. */
  readonly tooMany: () => Error;
  readonly signal?: AbortSignal;
}

let comunica: QueryEngine | undefined;

const terms = new DataFactory();

/**
 * Evaluates a query by the algebra of SPARQL 1.1: Comunica over the triples of a source.
 *
 * @throws what the source throws; `options.tooMany` where there are more rows or triples than `most`; errors of Comunica.
 * @example
 * import { parseSyntax } from '@fuzzqe/sparql/syntax';
 * const nothing = { async *match() {}, count: () => 0 };
 * const ask = parseSyntax('ASK { ?s ?p ?o }').query;
 * await evaluateHere(ask, nothing, { most: 1000, tooMany: () => new Error('too many rows') }); // false
 */
export async function evaluateHere(
  query: Query,
  source: TripleSource,
  { most, tooMany, signal }: EvaluateHereOptions,
): Promise<SparqlResult> {
  const operation = toAlgebra(query, { quads: true, blankToVariable: true });
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Another promise of a race may have ended the race.
  failed.catch(() => undefined);
  const ending = new AbortController();
  const stop = (): void => fail(signal?.reason);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted === true) stop();
  const read = rdfSource(source, ending.signal, fail);
  try {
    comunica ??= new QueryEngine();
    const result = await Promise.race([
      comunica.query(operation, { sources: [read], ...baseOf(query) }),
      failed,
    ]);
    if (result.resultType === 'boolean') return await Promise.race([result.execute(), failed]);
    if (result.resultType === 'void') throw new TypeError('expected a query, got an update');
    const stream = await Promise.race([result.execute(), failed]);
    const end = (): void => stream.destroy();
    ending.signal.addEventListener('abort', end);
    const all = new Promise<(Bindings | Quad)[]>((resolve, reject) => {
      const rows: (Bindings | Quad)[] = [];
      stream.on('data', (row: Bindings | Quad) => {
        if (rows.length >= most) reject(tooMany());
        else rows.push(row);
      });
      stream.on('end', () => resolve(rows));
      stream.on('error', reject);
    });
    const rows = await Promise.race([all, failed]);
    if (result.resultType === 'quads') return { triples: (rows as Quad[]).map(tripleOf) };
    const variables = variablesOf(operation);
    return {
      variables,
      rows: (rows as Bindings[]).map((row) =>
        variables.map((name) => {
          const term = row.get(name);
          return term === undefined ? undefined : plainTerm(term);
        }),
      ),
    };
  } finally {
    signal?.removeEventListener('abort', stop);
    ending.abort();
  }
}

/** What the function `IRI` resolves relative IRIs with. */
function baseOf({ context }: Query): { readonly baseIRI?: string } {
  const base = context.findLast(({ subType }) => subType === 'base');
  return base === undefined ? {} : { baseIRI: base.value.value };
}

/** The columns of SELECT, in the order of the text. */
function variablesOf(operation: Algebra.Operation): string[] {
  let inner = operation;
  while (!isProject(inner)) {
    if (!hasInput(inner)) return [];
    inner = inner.input;
  }
  return inner.variables.map(({ value }) => value);
}

function isProject(operation: Algebra.Operation): operation is Algebra.Project {
  return operation.type === 'project';
}

function hasInput(
  operation: Algebra.Operation,
): operation is Algebra.Operation & { readonly input: Algebra.Operation } {
  return 'input' in operation;
}

/** A source as Comunica reads sources. */
function rdfSource(source: TripleSource, signal: AbortSignal, fail: (error: unknown) => void) {
  const patternOf = (subject?: Ask, predicate?: Ask, object?: Ask, graph?: Ask): TriplePattern => {
    const [s, p, o, g] = [subject, predicate, object, graph].map(asked);
    return {
      ...(s === undefined ? {} : { subject: s }),
      ...(p === undefined ? {} : { predicate: p }),
      ...(o === undefined ? {} : { object: o }),
      ...(graph?.termType === 'DefaultGraph' ? {} : { graph: g ?? 'any' }),
    };
  };
  return {
    match: (...pattern: Parameters<typeof patternOf>) =>
      new TripleStream(source.match(patternOf(...pattern)), signal, fail),
    async countQuads(...pattern: Parameters<typeof patternOf>) {
      try {
        return await source.count(patternOf(...pattern));
      } catch (error) {
        fail(error);
        throw error;
      }
    },
  };
}

type Ask = Term | null | undefined;

function asked(term: Ask): RdfTerm | undefined {
  if (term === undefined || term === null) return undefined;
  return term.termType === 'Variable' || term.termType === 'DefaultGraph' ? undefined : plainTerm(term);
}

/** The triples of a pattern, read when they are wanted. */
class TripleStream extends BufferedIterator<Quad> {
  readonly #pieces: AsyncIterator<readonly Triple[]>;
  readonly #signal: AbortSignal;
  readonly #fail: (error: unknown) => void;

  constructor(pieces: AsyncIterable<readonly Triple[]>, signal: AbortSignal, fail: (error: unknown) => void) {
    super({ autoStart: false, maxBufferSize: 64 });
    this.#pieces = pieces[Symbol.asyncIterator]();
    this.#signal = signal;
    this.#fail = fail;
  }

  override _read(_count: number, done: () => void): void {
    this.#readPiece().then(done, (error: unknown) => {
      this.#fail(error);
      done();
      this.close();
    });
  }

  async #readPiece(): Promise<void> {
    // The stream is never asked again where a read gives nothing.
    for (;;) {
      // A query that has ended reads no more.
      const piece = this.#signal.aborted ? undefined : await this.#pieces.next();
      if (piece === undefined || piece.done === true) {
        this.close();
        return;
      }
      for (const triple of piece.value) this._push(quadOf(triple));
      if (piece.value.length > 0) return;
    }
  }
}

function quadOf({ subject, predicate, object, graph }: Triple): Quad {
  return terms.quad(
    rdfTerm(subject) as Quad['subject'],
    rdfTerm(predicate) as Quad['predicate'],
    rdfTerm(object) as Quad['object'],
    graph === undefined ? terms.defaultGraph() : (rdfTerm(graph) as Quad['graph']),
  ) as Quad;
}

function rdfTerm(term: RdfTerm): Term {
  if (term.type === 'uri') return terms.namedNode(term.value);
  if (term.type !== 'literal') return terms.blankNode(term.value);
  const { value, datatype, 'xml:lang': language } = term;
  return terms.literal(value, language ?? (datatype === undefined ? undefined : terms.namedNode(datatype)));
}

function tripleOf({ subject, predicate, object }: Quad): Triple {
  return { subject: plainTerm(subject), predicate: plainTerm(predicate), object: plainTerm(object) };
}

const string = 'http://www.w3.org/2001/XMLSchema#string';

function plainTerm(term: Term): RdfTerm {
  if (term.termType === 'NamedNode') return { type: 'uri', value: term.value };
  if (term.termType !== 'Literal') return { type: 'bnode', value: term.value };
  const { value, language, datatype } = term;
  if (language !== '') return { type: 'literal', value, 'xml:lang': language };
  return datatype.value === string
    ? { type: 'literal', value }
    : { type: 'literal', value, datatype: datatype.value };
}
