/** A value of a solution, as the JSON form of SPARQL results has it. */
export type RdfTerm =
  | { readonly type: 'uri'; readonly value: string }
  | { readonly type: 'bnode'; readonly value: string }
  | {
      readonly type: 'literal';
      readonly value: string;
      readonly datatype?: string;
      readonly 'xml:lang'?: string;
    };

/** How the IRIs of the datatypes of XML Schema begin. */
export const xsd = 'http://www.w3.org/2001/XMLSchema#';

/** The term of an IRI. */
export function iriTerm(value: string): RdfTerm {
  return { type: 'uri', value };
}

/** A string; with a language or a datatype where one is given. */
export function literalTerm(value: string, more: { language?: string; datatype?: string } = {}): RdfTerm {
  const { language = '', datatype = '' } = more;
  return {
    type: 'literal',
    value,
    ...(language === '' ? {} : { 'xml:lang': language }),
    ...(datatype === '' ? {} : { datatype }),
  };
}

/** Whether two terms are the same term. */
export function sameTerm(a: RdfTerm, b: RdfTerm): boolean {
  if (a.type !== b.type || a.value !== b.value) return false;
  if (a.type !== 'literal' || b.type !== 'literal') return true;
  return a.datatype === b.datatype && a['xml:lang']?.toLowerCase() === b['xml:lang']?.toLowerCase();
}
