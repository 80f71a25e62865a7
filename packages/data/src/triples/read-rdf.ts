import { FuzzError } from '@fuzzqe/core';
import { raiseLimit, readLimits } from '@fuzzqe/files';
import { type BlankNode, DataFactory, type NamedNode, Parser, type Quad, type Term } from 'n3';
import type { DelimitedRecord } from '../files/delimited.ts';
import { forEachLineBlock } from '../files/line-blocks.ts';
import type { RdfNames } from './rdf-names.ts';
import { type LeftOut, nothingLeftOut, type TripleSink } from './triple-sink.ts';

/** How RDF is read, file after file of one graph. */
export interface RdfReading {
  /** Takes labels and prefixes. */
  readonly names: RdfNames;
  /** Whether triples with a blank node as subject or object are left out. */
  readonly skipBlank: boolean;
  /** Names the next blank node that its file does not name. */
  nextBlank(): string;
}

/** A reading that starts at its first file. */
export function createRdfReading(names: RdfNames, skipBlank = false): RdfReading {
  let unnamed = 0;
  // No file can use these names: none begins with a dot there.
  return { names, skipBlank, nextBlank: () => `.${unnamed++}` };
}

/**
 * Reads the facts between entities out of N-Triples, N-Quads or Turtle; gives what else there was.
 *
 * Keys are IRIs in full, `_:name` for blank nodes, and `_:.0`, `_:.1`, … for those without a name. Literals that give
 * labels are not counted, and names of graphs are not kept. The file is parsed block by block; what a fact's line is:
 * that on which its object is read.
 *
 * @throws FuzzError `data` with `path:line`: what n3 cannot parse; a triple about a triple; a named graph elsewhere than
 *   in N-Quads.
 */
export async function readRdf(
  path: string,
  format: keyof typeof parserFormats,
  sink: TripleSink,
  { names, skipBlank, nextBlank }: RdfReading,
  onRead?: (bytes: number) => void,
): Promise<LeftOut> {
  let { literals, blankNodes, namedGraphs } = nothingLeftOut;
  let line = 1;
  /** Where the token before the last one stood. */
  let before = 1;
  /** Bytes since the parser found the end of anything: what it holds, and reads again with every block. */
  let unread = 0;
  const { line: longest } = readLimits();
  let failure: unknown;
  const record = createTermRecord();

  const parser = new Parser({
    format: parserFormats[format],
    // Keeps the names that blank nodes have in the file.
    blankNodePrefix: '_:',
    // The numbers of n3 go on from file to file in one process.
    factory: { ...DataFactory, blankNode: (name) => DataFactory.blankNode(name ?? nextBlank()) },
  });
  const input: { data?: (chunk: string) => void; end?: () => void } = {};
  const source = {
    on(event: string, listener: (chunk: string) => void) {
      if (event === 'data') input.data = listener;
      if (event === 'end') input.end = () => listener('');
    },
  };
  const callbacks = {
    onToken(token: { readonly line: number }): void {
      before = line;
      line = token.line;
      unread = 0;
    },
    onPrefix(name: string, iri: NamedNode): void {
      names.prefix(name, iri.value);
    },
    onQuad(error: Error | null, quad: Quad | null): void {
      if (error !== null) failure ??= asFuzzError(error, path, line, before);
      else if (quad !== null && failure === undefined) {
        try {
          take(quad);
        } catch (thrown) {
          failure = thrown;
        }
      }
    },
  };

  const take = (quad: Quad): void => {
    const { subject, predicate, object } = quad;
    const isNamed = quad.graph.termType !== 'DefaultGraph';
    if (
      !isEntity(subject) ||
      predicate.termType !== 'NamedNode' ||
      (isNamed && format !== 'nquads') ||
      (object.termType !== 'Literal' && !isEntity(object))
    ) {
      throw unsupported(path, line);
    }
    if (isNamed) namedGraphs++;
    if (object.termType === 'Literal') {
      if (!names.label(keyOf(subject), predicate.value, object.value, object.language)) literals++;
      return;
    }
    if (skipBlank && (subject.termType === 'BlankNode' || object.termType === 'BlankNode')) {
      blankNodes++;
      return;
    }
    record.fill(line, keyOf(subject), predicate.value, keyOf(object));
    sink.add(record, 0, 1, 2);
  };

  startParser(parser, source, callbacks);
  const feed = (give: () => void): void => {
    try {
      give();
    } catch (thrown) {
      // n3 may throw a TypeError right after it has said what is wrong, as of a prefix whose IRI is none.
      throw failure ?? thrown;
    }
    if (failure !== undefined) throw failure;
  };
  const parse = (block: Buffer): number => {
    unread += block.length;
    feed(() => input.data?.(block.toString('utf8')));
    if (unread > longest) throw endless(path, line, longest);
    return block.length;
  };
  await forEachLineBlock(path, parse, onRead);
  feed(() => input.end?.());
  return { ...nothingLeftOut, literals, blankNodes, namedGraphs };
}

const parserFormats = { ntriples: 'N-Triples', nquads: 'N-Quads', turtle: 'Turtle' } as const;

/** What n3 reads from: the two events of a stream that it listens to. */
interface RdfSource {
  on(event: string, listener: (chunk: string) => void): void;
}

interface RdfCallbacks {
  onPrefix(name: string, iri: NamedNode): void;
  onQuad(error: Error | null, quad: Quad | null): void;
  onToken(token: { readonly line: number }): void;
}

/** The types of n3 are of its first version: they ask for a whole emitter, and do not know the callback for tokens. */
function startParser(parser: Parser, source: RdfSource, callbacks: RdfCallbacks): void {
  const parse: unknown = parser.parse;
  if (typeof parse === 'function') Reflect.apply(parse, parser, [source, callbacks]);
}

function isEntity(term: Term): term is NamedNode | BlankNode {
  return term.termType === 'NamedNode' || term.termType === 'BlankNode';
}

function keyOf(term: NamedNode | BlankNode): string {
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

function asFuzzError(error: Error, path: string, lastLine: number, before: number): FuzzError {
  // What lacks its full stop is what stands before the token that is read in its place.
  if (error.message.startsWith('Expected punctuation'))
    return new FuzzError('data', `RDF: ${error.message.replace(/ on line \d+\.?$/, '.')}`, {
      path: `${path}:${before}`,
      hint: 'Each statement ends with a full stop.',
      cause: error,
    });
  const context: unknown = 'context' in error ? error.context : undefined;
  const line =
    typeof context === 'object' && context !== null && 'line' in context ? Number(context.line) : lastLine;
  return new FuzzError('data', `RDF: ${error.message.replace(/ on line \d+\.?$/, '.')}`, {
    path: `${path}:${line}`,
    hint: 'The file is read as its ending or --format says: N-Triples is .nt, N-Quads .nq, Turtle .ttl.',
    cause: error,
  });
}

function endless(path: string, line: number, longest: number): FuzzError {
  return new FuzzError('data', `RDF: expected at most ${longest} bytes in a text, got more`, {
    path: `${path}:${line}`,
    hint: `Close the quotes. ${raiseLimit('line')}`,
  });
}

function unsupported(path: string, line: number): FuzzError {
  return new FuzzError(
    'data',
    'RDF: expected a plain triple, got a named graph, a variable or a triple in a triple',
    {
      path: `${path}:${line}`,
      hint: 'Facts are between two entities: name a statement by an IRI to speak about it.',
    },
  );
}
