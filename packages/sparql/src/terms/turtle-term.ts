import type { RdfTerm } from './rdf-term.ts';

const escapes: Readonly<Record<string, string>> = {
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

const notInIri = /[\0- <>"{}|^`\\]/g;

function codePoint(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A term as Turtle, N-Triples and TSV write it. */
export function turtleOf(term: RdfTerm): string {
  if (term.type === 'uri') return `<${term.value.replace(notInIri, codePoint)}>`;
  if (term.type === 'bnode') return `_:${term.value}`;
  const { datatype, 'xml:lang': language } = term;
  const text = `"${term.value.replace(/[\t\n\r"\\]/g, (character) => escapes[character]!)}"`;
  if (language !== undefined) return `${text}@${language}`;
  return datatype === undefined ? text : `${text}^^<${datatype}>`;
}
