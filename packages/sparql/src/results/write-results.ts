import type { Steps } from '@fuzzqe/core';
import type { RdfTerm } from '../terms/rdf-term.ts';
import { turtleOf } from '../terms/turtle-term.ts';
import { rowsOfStep } from './solutions.ts';
import type { GraphResult, Solutions, SparqlResult } from './sparql-result.ts';

/** A form of results: its media type and how it is written. */
export interface ResultFormat {
  readonly mediaType: string;
  /** The header of a response: JSON and XML say themselves that they are UTF-8. */
  readonly contentType: string;
  /** Other names under which clients ask for it. */
  readonly aliases: readonly string[];
  /** What it has a form for. */
  readonly writes: readonly ('rows' | 'boolean' | 'triples')[];
  write(result: SparqlResult): Steps<string>;
}

/** The forms of SPARQL 1.1, the default of each kind of result first. */
export const resultFormats: readonly ResultFormat[] = [
  {
    mediaType: 'application/sparql-results+json',
    contentType: 'application/sparql-results+json',
    aliases: ['application/json'],
    writes: ['rows', 'boolean'],
    write: writeJson,
  },
  {
    mediaType: 'application/sparql-results+xml',
    contentType: 'application/sparql-results+xml',
    aliases: ['application/xml', 'text/xml'],
    writes: ['rows', 'boolean'],
    write: writeXml,
  },
  {
    mediaType: 'text/csv',
    contentType: 'text/csv; charset=utf-8',
    aliases: [],
    writes: ['rows'],
    write: (result) => writeCsv(rowsOf(result)),
  },
  {
    mediaType: 'text/tab-separated-values',
    contentType: 'text/tab-separated-values; charset=utf-8',
    aliases: [],
    writes: ['rows'],
    write: (result) => writeTsv(rowsOf(result)),
  },
  {
    mediaType: 'text/turtle',
    contentType: 'text/turtle; charset=utf-8',
    aliases: ['application/x-turtle', 'text/n3', 'text/rdf+n3'],
    writes: ['triples'],
    write: (result) => writeTriples(triplesOf(result)),
  },
  {
    mediaType: 'application/n-triples',
    contentType: 'application/n-triples',
    aliases: ['text/plain'],
    writes: ['triples'],
    write: (result) => writeTriples(triplesOf(result)),
  },
];

/** The forms that a kind of result has. */
export function formatsOf(kind: ResultFormat['writes'][number]): readonly ResultFormat[] {
  return resultFormats.filter(({ writes }) => writes.includes(kind));
}

// Each form is chosen among those of its kind of result.
function rowsOf(result: SparqlResult): Solutions {
  if (typeof result === 'boolean' || 'triples' in result) throw new TypeError('expected rows');
  return result;
}

function triplesOf(result: SparqlResult): GraphResult {
  if (typeof result === 'boolean' || !('triples' in result)) throw new TypeError('expected triples');
  return result;
}

/** N-Triples, which are Turtle as well. */
function* writeTriples({ triples }: GraphResult): Steps<string> {
  const lines: string[] = [];
  for (const { subject, predicate, object } of triples) {
    if (lines.length % rowsOfStep === 0) yield;
    lines.push(`${turtleOf(subject)} ${turtleOf(predicate)} ${turtleOf(object)} .\n`);
  }
  return lines.join('');
}

/** What each row is as a text, in pieces. */
function* textsOf(
  { rows }: Solutions,
  textOf: (row: Solutions['rows'][number]) => string,
): Steps<readonly string[]> {
  const texts: string[] = [];
  for (const row of rows) {
    if (texts.length % rowsOfStep === 0) yield;
    texts.push(textOf(row));
  }
  return texts;
}

function* writeJson(result: SparqlResult): Steps<string> {
  if (typeof result === 'boolean') return JSON.stringify({ head: {}, boolean: result });
  const { variables } = rowsOf(result);
  const bindings = yield* textsOf(rowsOf(result), (row) =>
    JSON.stringify(
      Object.fromEntries(row.flatMap((term, i) => (term === undefined ? [] : [[variables[i]!, term]]))),
    ),
  );
  return `{"head":${JSON.stringify({ vars: variables })},"results":{"bindings":[${bindings.join(',')}]}}`;
}

function* writeXml(result: SparqlResult): Steps<string> {
  const begin = '<?xml version="1.0"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#">';
  if (typeof result === 'boolean') return `${begin}<head/><boolean>${result}</boolean></sparql>\n`;
  const { variables } = rowsOf(result);
  const head = variables.map((name) => `<variable name="${escapeXml(name)}"/>`).join('');
  const results = yield* textsOf(rowsOf(result), (row) => {
    const bindings = row.map((term, i) =>
      term === undefined ? '' : `<binding name="${escapeXml(variables[i]!)}">${xmlOf(term)}</binding>`,
    );
    return `<result>${bindings.join('')}</result>\n`;
  });
  return `${begin}<head>${head}</head><results>\n${results.join('')}</results></sparql>\n`;
}

function xmlOf(term: RdfTerm): string {
  const value = escapeXml(term.value);
  if (term.type !== 'literal') return `<${term.type}>${value}</${term.type}>`;
  const { datatype, 'xml:lang': language } = term;
  const kind =
    language !== undefined
      ? ` xml:lang="${escapeXml(language)}"`
      : datatype === undefined
        ? ''
        : ` datatype="${escapeXml(datatype)}"`;
  return `<literal${kind}>${value}</literal>`;
}

const entities: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** What XML 1.0 has no way to say becomes U+FFFD. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[<>&"\r]/g, (character) => entities[character]!);
}

function* writeCsv(solutions: Solutions): Steps<string> {
  const lineOf = (fields: readonly string[]): string => `${fields.map(csvField).join(',')}\r\n`;
  const lines = yield* textsOf(solutions, (row) => lineOf(row.map(csvText)));
  return `${lineOf(solutions.variables)}${lines.join('')}`;
}

function csvText(term: RdfTerm | undefined): string {
  if (term === undefined) return '';
  return term.type === 'bnode' ? `_:${term.value}` : term.value;
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function* writeTsv(solutions: Solutions): Steps<string> {
  const lineOf = (fields: readonly string[]): string => `${fields.join('\t')}\n`;
  const lines = yield* textsOf(solutions, (row) =>
    lineOf(row.map((term) => (term === undefined ? '' : turtleOf(term)))),
  );
  return `${lineOf(solutions.variables.map((name) => `?${name}`))}${lines.join('')}`;
}
