import { FuzzError } from '@fuzzqe/core';
import type { LiteralSink } from '../literals/literal-sink.ts';
import { type Sources, withSources } from '../sources/with-sources.ts';
import { gatherProvenance } from '../triples/gather-provenance.ts';
import { createRdfNames } from '../triples/rdf-names.ts';
import { readInto } from '../triples/read-triples.ts';
import { createRdfReading } from '../triples/take-quads.ts';
import { type TripleFormat, tripleFormatOf } from '../triples/triple-format.ts';
import type { LeftOut, TripleSink } from '../triples/triple-sink.ts';
import { findImportFiles } from './find-files.ts';
import type { ImportPathOptions } from './import-path.ts';
import { planFiles, rdfOptions } from './plan-files.ts';

/** How files are read, as an import takes it. */
export type PeekOptions = Omit<ImportPathOptions, 'name'>;

type ReadingOptions = Omit<PeekOptions, 'format'> & { readonly format?: TripleFormat };

/** What an import would read of a file. */
export interface PeekedFile {
  readonly path: string;
  readonly format: TripleFormat;
  /** How many facts there are, repeated ones included. */
  readonly facts: number;
  /** The first ten facts: the keys of head, relation and tail. */
  readonly first: readonly (readonly [head: string, relation: string, tail: string])[];
  /** Numbers, dates, booleans and texts of entities, as far as these are in facts. */
  readonly attributes: number;
  readonly leftOut: LeftOut;
  /** How the file was read where nobody said how, in sentences. */
  readonly notes: readonly string[];
}

/** So many facts are shown. */
const mostShown = 10;

/**
 * Reads files as `importPath` would, and keeps the first ten facts of each and what it would leave out.
 *
 * Memory: a block of the file, however long the file is.
 *
 * @throws FuzzError `usage`: a folder in the BetaE layout, which is in ids. `data` and `usage`: what the import would throw.
 */
export async function peekPath(path: string, options: PeekOptions = {}): Promise<PeekedFile[]> {
  const { format, ...more } = options;
  const found = await findImportFiles(path, format);
  if (found.layout === 'betae')
    throw new FuzzError('usage', 'peek: expected triples of keys, got a folder in the BetaE layout', {
      path,
      hint: 'Its files are ids, in one fixed form: import it.',
    });
  const files = { ...found, ...more };
  const paths = [files.train, files.valid, files.test].filter((file) => file !== undefined);
  return withSources(paths, files, (sources) => peekFiles(paths, files, sources));
}

async function peekFiles(
  asked: readonly string[],
  options: ReadingOptions,
  sources: Sources,
): Promise<PeekedFile[]> {
  const paths = asked.map(sources.fileOf);
  const plans = await planFiles(paths, options, sources.titled);
  let attributes = 0;
  const counted: LiteralSink = { name: () => {}, value: () => void attributes++ };
  const literals = options.attributes === false ? undefined : counted;
  const provenance = gatherProvenance();
  const rdf = createRdfReading(createRdfNames(''), { ...rdfOptions(options), literals, provenance });
  const peeked: PeekedFile[] = [];
  for (const file of paths) {
    const form = options.format ?? tripleFormatOf(file);
    const { sink, first } = createPeekingSink();
    attributes = 0;
    const { facts, leftOut, notes } = await readInto(file, sink, {
      format: form,
      plan: plans.get(file),
      rdf,
      literals,
      provenance,
      skipBad: options.skipBad,
    });
    const shown = [...(peeked.length === 0 ? sources.notes : []), ...notes].map(sources.shown);
    peeked.push({ path: sources.shown(file), format: form, facts, first, attributes, leftOut, notes: shown });
  }
  return peeked;
}

/** A sink that counts facts and keeps the first ten as texts. */
function createPeekingSink(): { readonly sink: TripleSink; readonly first: [string, string, string][] } {
  const first: [string, string, string][] = [];
  let facts = 0;
  return {
    first,
    sink: {
      get facts() {
        return facts;
      },
      add(record, head, relation, tail) {
        facts++;
        if (first.length === mostShown) return;
        const name = typeof relation === 'number' ? record.text(relation) : relation.toString();
        first.push([record.text(head), name, record.text(tail)]);
      },
      finish: (leftOut, notes = []) => ({ triples: new Int32Array(0), facts, dropped: 0, leftOut, notes }),
    },
  };
}
