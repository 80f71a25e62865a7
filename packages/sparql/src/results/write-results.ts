import type { Steps } from '@fuzzqe/core';
import { type RdfTerm, rowsOfStep, type Solutions } from './solutions.ts';

/** What a query answers: rows of SELECT, or the truth of ASK. */
export type SparqlResult = Solutions | boolean;

/** A form of results: its media type and how it is written. */
export interface ResultFormat {
  readonly mediaType: string;
  /** The header of a response: JSON and XML say themselves that they are UTF-8. */
  readonly contentType: string;
  /** Other names under which clients ask for it. */
  readonly aliases: readonly string[];
  /** Whether it has a form for ASK. */
  readonly boolean: boolean;
  write(result: SparqlResult): Steps<string>;
}

/** The four forms of SPARQL 1.1, the default first. */
export const resultFormats: readonly ResultFormat[] = [
  {
    mediaType: 'application/sparql-results+json',
    contentType: 'application/sparql-results+json',
    aliases: ['application/json'],
    boolean: true,
    write: writeJson,
  },
  {
    mediaType: 'application/sparql-results+xml',
    contentType: 'application/sparql-results+xml',
    aliases: ['application/xml', 'text/xml'],
    boolean: true,
    write: writeXml,
  },
  {
    mediaType: 'text/csv',
    contentType: 'text/csv; charset=utf-8',
    aliases: [],
    boolean: false,
    write: (result) => writeCsv(rowsOf(result)),
  },
  {
    mediaType: 'text/tab-separated-values',
    contentType: 'text/tab-separated-values; charset=utf-8',
    aliases: [],
    boolean: false,
    write: (result) => writeTsv(rowsOf(result)),
  },
];

function rowsOf(result: SparqlResult): Solutions {
  // ASK is refused in these forms; as a table it would be one column.
  if (typeof result !== 'boolean') return result;
  return { variables: ['boolean'], rows: [[{ type: 'literal', value: String(result) }]] };
}

/** What each row is as a text, in pieces. */
function* textsOf(
  { rows }: Solutions,
  textOf: (row: readonly RdfTerm[]) => string,
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
  const { variables } = result;
  const bindings = yield* textsOf(result, (row) =>
    JSON.stringify(Object.fromEntries(row.map((term, i) => [variables[i]!, term]))),
  );
  return `{"head":${JSON.stringify({ vars: variables })},"results":{"bindings":[${bindings.join(',')}]}}`;
}

function* writeXml(result: SparqlResult): Steps<string> {
  const begin = '<?xml version="1.0"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#">';
  if (typeof result === 'boolean') return `${begin}<head/><boolean>${result}</boolean></sparql>\n`;
  const { variables } = result;
  const head = variables.map((name) => `<variable name="${escapeXml(name)}"/>`).join('');
  const results = yield* textsOf(result, (row) => {
    const bindings = row.map(
      (term, i) => `<binding name="${escapeXml(variables[i]!)}">${xmlOf(term)}</binding>`,
    );
    return `<result>${bindings.join('')}</result>\n`;
  });
  return `${begin}<head>${head}</head><results>\n${results.join('')}</results></sparql>\n`;
}

function xmlOf(term: RdfTerm): string {
  const value = escapeXml(term.value);
  if (term.type === 'uri') return `<uri>${value}</uri>`;
  const datatype = term.datatype === undefined ? '' : ` datatype="${escapeXml(term.datatype)}"`;
  return `<literal${datatype}>${value}</literal>`;
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
  const lines = yield* textsOf(solutions, (row) => lineOf(row.map(({ value }) => value)));
  return `${lineOf(solutions.variables)}${lines.join('')}`;
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function* writeTsv(solutions: Solutions): Steps<string> {
  const lineOf = (fields: readonly string[]): string => `${fields.join('\t')}\n`;
  const lines = yield* textsOf(solutions, (row) => lineOf(row.map(turtleOf)));
  return `${lineOf(solutions.variables.map((name) => `?${name}`))}${lines.join('')}`;
}

const escapes: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

function turtleOf(term: RdfTerm): string {
  if (term.type === 'uri') return `<${term.value}>`;
  const text = `"${term.value.replace(/[\t\n\r"\\]/g, (character) => escapes[character]!)}"`;
  return term.datatype === undefined ? text : `${text}^^<${term.datatype}>`;
}
