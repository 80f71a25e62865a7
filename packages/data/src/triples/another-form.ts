import { FuzzError } from '@fuzzqe/core';
import { readBytes } from '../files/read-bytes.ts';
import type { TripleFormat } from './triple-format.ts';

/** What files of other tools and forms begin with, which forms may begin so, and what to do. */
const beginnings: readonly (readonly [
  begins: RegExp,
  what: string,
  hint: string,
  forms: readonly TripleFormat[],
])[] = [
  [
    /^<!doctype html|^<html/i,
    'a web page',
    'It may say why the file could not be fetched: look into it, and fetch the file again.',
    [],
  ],
  [/^<\?xml|^<rdf:RDF/, 'XML', 'If it is RDF/XML: --format rdfxml.', ['rdfxml']],
  [
    /^@(?:prefix|base)\s|^(?:prefix|base)\s+\S*\s*</i,
    'Turtle',
    'Read it with --format turtle.',
    ['turtle', 'trig'],
  ],
  [
    /^(?:Prefix|Ontology)\s*[(:]/,
    'OWL in functional or Manchester syntax',
    'Convert it to RDF/XML or Turtle, as with ROBOT or Protégé.',
    ['turtle', 'trig'],
  ],
  [/^format-version:/, 'OBO', 'Convert it to RDF/XML or Turtle, as with ROBOT.', []],
  [/^[[{]/, 'JSON', 'If it is JSON-LD: --format jsonld.', ['jsonld', 'trig', 'turtle']],
];

/** The error for a file that could not be read as that form, and begins as another one does; undefined where it does not. */
export async function anotherForm(
  path: string,
  format: TripleFormat,
  cause: unknown,
): Promise<FuzzError | undefined> {
  if (!(cause instanceof FuzzError) || cause.code !== 'data') return undefined;
  let text = '';
  await readBytes(path, (block) => {
    text = block.toString('utf8', 0, 1024).replace(/^(?:\uFEFF|\s|#[^\n]*\n)+/, '');
    throw stop;
  }).catch(() => {});
  const found = beginnings.find(([begins, , , forms]) => begins.test(text) && !forms.includes(format));
  if (found === undefined) return undefined;
  const [, what, hint] = found;
  return new FuzzError('data', `triples: expected ${format}, got ${what}`, { path, hint, cause });
}

/** Thrown to stop reading after the first block. */
const stop = new Error('stop');
