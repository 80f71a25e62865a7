import { FuzzError } from '@fuzzqe/core';
import { packedEndings, withoutPacking } from '../files/packings.ts';

/** The forms of files of triples that are read. */
export const tripleFormats = [
  'tsv',
  'csv',
  'parquet',
  'ntriples',
  'nquads',
  'turtle',
  'trig',
  'rdfxml',
  'jsonld',
] as const;
export type TripleFormat = (typeof tripleFormats)[number];

const endings = {
  tsv: 'tsv',
  txt: 'tsv',
  tab: 'tsv',
  csv: 'csv',
  parquet: 'parquet',
  nt: 'ntriples',
  ntriples: 'ntriples',
  nq: 'nquads',
  nquads: 'nquads',
  ttl: 'turtle',
  turtle: 'turtle',
  trig: 'trig',
  rdf: 'rdfxml',
  owl: 'rdfxml',
  rdfxml: 'rdfxml',
  jsonld: 'jsonld',
} as const satisfies Readonly<Record<string, TripleFormat>>;

/** Endings of files that another program unpacks or converts. */
const unpacking = {
  xz: 'unxz FILE',
  '7z': '7z x FILE',
  xlsx: 'save the sheet as CSV',
} as const;

/** The forms of RDF: keys are IRIs and blank nodes, and names stand in the facts. */
export type RdfFormat = Exclude<TripleFormat, 'tsv' | 'csv' | 'parquet'>;

/** Whether files of a form are RDF. */
export function isRdf(format: TripleFormat): format is RdfFormat {
  return format !== 'tsv' && format !== 'csv' && format !== 'parquet';
}

/** The endings that tell the form of a file, without those of compressed files. */
export const tripleEndings: readonly string[] = Object.keys(endings);

/**
 * The form that the ending of a file's name tells, with or without that of a compressed file after it.
 *
 * @throws FuzzError `usage`: an ending that tells none.
 */
export function tripleFormatOf(path: string): TripleFormat {
  const ending = /\.([^./]+)$/.exec(withoutPacking(path))?.[1]?.toLowerCase() ?? '';
  const format = new Map<string, TripleFormat>(Object.entries(endings)).get(ending);
  if (format !== undefined) return format;
  const unpack = new Map(Object.entries(unpacking)).get(ending);
  if (unpack !== undefined)
    throw new FuzzError(
      'usage',
      `format: expected a file that is read as it is, got one that ends in .${ending}`,
      {
        path,
        hint: `Unpack it first: ${unpack}. Of compressed files, .${packedEndings.join(', .')} are read.`,
      },
    );
  throw new FuzzError('usage', `format: expected an ending that tells it, got ${JSON.stringify(ending)}`, {
    path,
    hint: `Say it with --format ${tripleFormats.join(' | ')}, or end the name in .${tripleEndings.join(', .')}.`,
  });
}
