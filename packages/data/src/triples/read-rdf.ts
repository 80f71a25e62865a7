import { pathToFileURL } from 'node:url';
import { FuzzError } from '@fuzzqe/core';
import { raiseLimit, readLimits } from '@fuzzqe/files';
import { DataFactory, type NamedNode, Parser, type Quad } from 'n3';
import { createBadLines } from '../files/bad-lines.ts';
import { forEachLineBlock } from '../files/line-blocks.ts';
import { readQuadStream } from './read-quad-stream.ts';
import { createQuadTaker, type QuadTaker, type RdfReading } from './take-quads.ts';
import type { RdfFormat } from './triple-format.ts';
import type { TripleFile, TripleSink } from './triple-sink.ts';

/** How RDF is read beside its form. */
export interface ReadRdfOptions {
  /** Whether lines of N-Triples and N-Quads that cannot be read are passed over and counted. */
  readonly skipBad?: boolean | undefined;
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/**
 * Reads the facts between entities out of RDF; gives what else there was.
 *
 * Keys are IRIs in full, `_:name` for blank nodes, and `_:.0`, `_:.1`, … for those without a name. The file is parsed
 * block by block; what a fact's line is: that on which its object is read.
 *
 * @throws FuzzError `data` with `path:line`: what the parser cannot read, of N-Triples and N-Quads the first ten lines; what
 *   `createQuadTaker` and the sink throw.
 */
export async function readRdf(
  path: string,
  format: RdfFormat,
  sink: TripleSink,
  reading: RdfReading,
  { skipBad = false, onRead }: ReadRdfOptions = {},
): Promise<TripleFile> {
  const taker = createQuadTaker(path, sink, reading);
  const base = reading.base ?? pathToFileURL(path).href;
  const bad = createBadLines();
  const told: string[] = [];
  if (format === 'rdfxml' || format === 'jsonld')
    told.push(...(await readQuadStream(path, format, base, reading, taker, onRead)));
  else if (format === 'turtle' || format === 'trig') {
    const parse = createParse({ path, format, base, reading, taker });
    await forEachLineBlock(path, (block) => parse.block(block), onRead);
    parse.end();
  } else {
    const parseLines = (block: Buffer, firstLine: number): number => {
      // Each line is whole: after a bad one another parser goes on with the next.
      for (let [rest, line] = [block, firstLine]; rest.length > 0; ) {
        const parse = createParse({ path, format, base, reading, taker, firstLine: line });
        try {
          parse.block(rest);
          parse.end();
          break;
        } catch (error) {
          const at = error instanceof FuzzError ? Number(/:(\d+)$/.exec(error.path ?? '')?.[1]) : Number.NaN;
          if (!(error instanceof FuzzError) || !(at >= line)) throw error;
          bad.add(error);
          rest = rest.subarray(afterLines(rest, at - line + 1));
          line = at + 1;
        }
      }
      return block.length;
    };
    await forEachLineBlock(path, parseLines, onRead, bad.add);
    if (!skipBad) bad.refuse();
  }
  const { leftOut, notes } = taker.finish();
  return sink.finish({ ...leftOut, badLines: bad.count }, [...told, ...notes, ...bad.told]);
}

/** Where the text begins that follows so many lines. */
function afterLines(text: Buffer, count: number): number {
  let at = 0;
  for (let i = 0; i < count && at < text.length; i++) at = text.indexOf(0x0a, at) + 1 || text.length;
  return at;
}

interface ParseTask {
  readonly path: string;
  readonly format: keyof typeof parserFormats;
  readonly base: string;
  readonly reading: RdfReading;
  readonly taker: QuadTaker;
  /** The number of the first line; default 1. */
  readonly firstLine?: number;
}

/** A parser that is given a text block by block. */
function createParse({ path, format, base, reading, taker, firstLine = 1 }: ParseTask): {
  block(block: Buffer): number;
  end(): void;
} {
  const { names, nextBlank } = reading;
  let line = 1;
  /** Where the token before the last one stood. */
  let before = 1;
  /** Bytes since the parser found the end of anything: what it holds, and reads again with every block. */
  let unread = 0;
  const { line: longest } = readLimits();
  let failure: unknown;
  const parser = new Parser({
    format: parserFormats[format],
    ...(format === 'turtle' || format === 'trig' ? { baseIRI: base } : {}),
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
  const place = (at: number): string => `${path}:${at + firstLine - 1}`;
  startParser(parser, source, {
    onToken(token) {
      before = line;
      line = token.line;
      unread = 0;
    },
    onPrefix(name, iri) {
      names.prefix(name, iri.value);
    },
    onQuad(error, quad) {
      if (error !== null) failure ??= asFuzzError(error, place, line, before);
      else if (quad !== null && failure === undefined) {
        try {
          taker.take(quad, line + firstLine - 1);
        } catch (thrown) {
          failure = thrown;
        }
      }
      // The parser would go on through the rest of the block.
      if (failure !== undefined) throw failure;
    },
  });
  const feed = (give: () => void): void => {
    try {
      give();
    } catch (thrown) {
      // n3 may throw a TypeError right after it has said what is wrong, as of a prefix whose IRI is none.
      throw failure ?? thrown;
    }
    if (failure !== undefined) throw failure;
  };
  return {
    block(block) {
      unread += block.length;
      feed(() => input.data?.(block.toString('utf8')));
      if (unread > longest) throw endless(place(line), longest);
      return block.length;
    },
    end: () => feed(() => input.end?.()),
  };
}

const parserFormats = {
  ntriples: 'N-Triples',
  nquads: 'N-Quads',
  turtle: 'Turtle',
  trig: 'TriG',
} as const;

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

function asFuzzError(
  error: Error,
  place: (line: number) => string,
  lastLine: number,
  before: number,
): FuzzError {
  const message = `RDF: ${error.message.replace(/ on line \d+\.?$/, '.')}`;
  // What lacks its full stop is what stands before the token that is read in its place.
  if (error.message.startsWith('Expected punctuation'))
    return new FuzzError('data', message, {
      path: place(before),
      hint: 'Each statement ends with a full stop.',
      cause: error,
    });
  const context: unknown = 'context' in error ? error.context : undefined;
  const line =
    typeof context === 'object' && context !== null && 'line' in context ? Number(context.line) : lastLine;
  return new FuzzError('data', message, {
    path: place(line),
    hint: 'The file is read as its ending or --format says: N-Triples is .nt, N-Quads .nq, Turtle .ttl, TriG .trig.',
    cause: error,
  });
}

function endless(place: string, longest: number): FuzzError {
  return new FuzzError('data', `RDF: expected at most ${longest} bytes in a text, got more`, {
    path: place,
    hint: `Close the quotes. ${raiseLimit('line')}`,
  });
}
