import { type EventEmitter, once } from 'node:events';
import { FuzzError } from '@fuzzqe/core';
import { raiseLimit, readLimits } from '@fuzzqe/files';
import { JsonLdParser } from 'jsonld-streaming-parser';
import { DataFactory, type NamedNode, type Quad } from 'n3';
import { RdfXmlParser } from 'rdfxml-streaming-parser';
import { notText } from '../files/not-text.ts';
import { readBytes } from '../files/read-bytes.ts';
import type { QuadTaker, RdfReading } from './take-quads.ts';
import { expandEntities } from './xml-entities.ts';

/** What is needed of a parser that is a stream of texts in and of quads out. */
interface QuadStream {
  on(event: string, listener: (value: unknown) => void): unknown;
  write(text: string): boolean;
  end(): unknown;
}

/** The parser of JSON-LD takes the square of the depth. */
const deepest = 500;

/**
 * Reads RDF/XML or JSON-LD, quad by quad; gives notes. Nothing is fetched: a JSON-LD context must stand in the file.
 *
 * @throws FuzzError `data`: what the parser cannot read, of RDF/XML with `path:line`; what is no UTF-8; a context elsewhere.
 */
export async function readQuadStream(
  path: string,
  format: 'rdfxml' | 'jsonld',
  base: string,
  { nextBlank }: RdfReading,
  taker: QuadTaker,
  onRead?: (bytes: number) => void,
): Promise<readonly string[]> {
  const dataFactory = {
    ...DataFactory,
    blankNode: (name?: string) => DataFactory.blankNode(name ?? nextBlank()),
    // The parser of JSON-LD gives null for a text without a type, and an object for one with a direction of writing.
    literal: (text: string, given?: string | NamedNode | { readonly language: string } | null) =>
      DataFactory.literal(
        text,
        given === null || given === undefined || typeof given === 'string' || 'termType' in given
          ? (given ?? undefined)
          : given.language,
      ),
  };
  const common: object = { baseIRI: base, dataFactory };
  const parser: QuadStream & EventEmitter =
    format === 'rdfxml'
      ? new RdfXmlParser({ ...common, trackPosition: true })
      : new JsonLdParser({
          ...common,
          documentLoader: { load: async (url: string) => refuseContext(path, url) },
        });
  let failure: unknown;
  let isOver = false;
  parser.on('data', (quad) => {
    if (failure !== undefined) return;
    try {
      taker.take(quad as Quad, 1);
    } catch (thrown) {
      failure = thrown;
    }
  });
  parser.on('error', (error) => {
    failure ??= asFuzzError(path, format, error);
  });
  for (const event of ['end', 'error', 'close'])
    parser.on(event, () => {
      isOver = true;
    });
  /** Waits for the parser to be ready for more, or to be done with all. */
  const ready = async (event: 'drain' | 'end'): Promise<void> => {
    const given = new AbortController();
    const events = [event, 'error', 'close'].map((name) => once(parser, name, { signal: given.signal }));
    // An error is told by the listener above.
    await Promise.race(events).catch(() => {});
    given.abort();
    await Promise.allSettled(events);
  };
  /** What texts end at, and how many bytes came since. */
  const mark = format === 'rdfxml' ? '<' : '"';
  const { line: longest } = readLimits();
  let unread = 0;
  const expectShort = (block: Buffer): void => {
    const first = block.indexOf(mark);
    if (unread + (first < 0 ? block.length : first) > longest)
      throw new FuzzError('data', `RDF: expected at most ${longest} bytes in a text, got more`, {
        path,
        hint: raiseLimit('line'),
      });
    unread = first < 0 ? unread + block.length : block.length - block.lastIndexOf(mark);
  };
  const expectShallow = format === 'jsonld' ? createDepthCheck(path) : () => {};
  /** Whether the first block of XML does not name RDF. */
  let isOther: boolean | undefined;
  const refuse = (thrown: unknown): unknown =>
    isOther && thrown instanceof FuzzError
      ? new FuzzError('data', 'triples: expected rdfxml, got XML without the namespace of RDF', {
          path,
          hint: 'Is it of another tool? Convert it to RDF, or to a table.',
          cause: thrown,
        })
      : thrown;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (block?: Buffer): string => {
    try {
      return decoder.decode(block, { stream: block !== undefined });
    } catch {
      throw notText(path, 1, block ?? Buffer.alloc(0), block ?? Buffer.of(0xff));
    }
  };
  await readBytes(
    path,
    async (block) => {
      expectShort(block);
      expectShallow(block);
      let text = decode(block);
      if (isOther === undefined && format === 'rdfxml') text = expandEntities(text, path);
      isOther ??= format === 'rdfxml' && !block.includes('/22-rdf-syntax-ns#');
      const isWritten = isOver || parser.write(text);
      if (!isWritten && !isOver) await ready('drain');
      if (failure !== undefined) throw refuse(failure);
    },
    onRead,
  );
  decode();
  if (!isOver) {
    const ended = ready('end');
    parser.end();
    await ended;
  }
  if (failure !== undefined) throw refuse(failure);
  return isOther
    ? [`${path}: XML without the namespace of RDF is read as RDF/XML; is it of another tool?`]
    : [];
}

/** Counts the objects and arrays of JSON that are open. */
function createDepthCheck(path: string): (block: Buffer) => void {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  return (block) => {
    for (const byte of block) {
      if (isEscaped) isEscaped = false;
      else if (byte === 0x22) isText = !isText;
      else if (isText) isEscaped = byte === 0x5c;
      else if (byte === 0x7b || byte === 0x5b) depth++;
      else if (byte === 0x7d || byte === 0x5d) depth--;
      if (depth > deepest)
        throw new FuzzError(
          'data',
          `JSON-LD: expected at most ${deepest} objects and arrays in one another, got more`,
          {
            path,
            hint: 'Give nodes an @id, and list them side by side in @graph.',
          },
        );
    }
  };
}

function refuseContext(path: string, url: string): never {
  throw new FuzzError('data', `JSON-LD: expected a context in the file, got ${JSON.stringify(url)}`, {
    path,
    hint: 'Nothing is fetched: put what that address gives in the place of the address.',
  });
}

function asFuzzError(path: string, format: string, thrown: unknown): FuzzError {
  if (thrown instanceof FuzzError) return thrown;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  // The parser of XML begins its messages with line:column.
  const [, before, message = error.message] = /^(\d+):\d+: (.*)$/s.exec(error.message) ?? [];
  const line = before ?? ('line' in error ? error.line : undefined);
  return new FuzzError('data', `${format === 'rdfxml' ? 'RDF/XML' : 'JSON-LD'}: ${message}`, {
    path: line === undefined ? path : `${path}:${line}`,
    hint: 'The file is read as its ending or --format says: RDF/XML is .rdf or .owl, JSON-LD .jsonld.',
    cause: error,
  });
}
