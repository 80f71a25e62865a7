import { readFileSync } from 'node:fs';
import type { RdfTerm, SparqlResult, Triple } from '@fuzzqe/sparql/evaluate';
import { Parser, type Quad, Store, type Term } from 'n3';

/** The result that a test of W3C expects, from a file of any of the forms that the tests have. */
export function expectedResult(file: string, base: string): SparqlResult {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.srx')) return readXml(text);
  if (file.endsWith('.srj')) return readJson(text);
  if (file.endsWith('.tsv')) return readTsv(text);
  const quads = new Parser({ baseIRI: base }).parse(text);
  return readResultSet(new Store(quads)) ?? { triples: quads.map(tripleOf) };
}

/** A term of N3 as results have it. */
export function termOf(term: Term): RdfTerm {
  if (term.termType === 'NamedNode') return { type: 'uri', value: term.value };
  if (term.termType !== 'Literal') return { type: 'bnode', value: term.value };
  const { value, language, datatype } = term;
  if (language !== '') return { type: 'literal', value, 'xml:lang': language };
  return datatype.value.endsWith('XMLSchema#string')
    ? { type: 'literal', value }
    : { type: 'literal', value, datatype: datatype.value };
}

/** A triple of N3 as results have it. */
export function tripleOf({ subject, predicate, object }: Quad): Triple {
  return { subject: termOf(subject), predicate: termOf(predicate), object: termOf(object) };
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function unescapeXml(text: string): string {
  return text.replace(
    /&(?:#(x?)([0-9a-fA-F]+)|([a-z]+));/g,
    (_, hex: string, digits: string, name: string) =>
      name === undefined ? String.fromCodePoint(Number.parseInt(digits, hex ? 16 : 10)) : entities[name]!,
  );
}

function readXml(given: string): SparqlResult {
  const text = given.replace(/<!--[\s\S]*?-->/g, '');
  const boolean = /<boolean>\s*(true|false)/.exec(text)?.[1];
  if (boolean !== undefined) return boolean === 'true';
  const variables = [...text.matchAll(/<variable\s+name\s*=\s*["']([^"']+)/g)].map(([, name]) => name!);
  const rows = [...text.matchAll(/<result(?:\s[^>]*)?(?:\/>|>([\s\S]*?)<\/result>)/g)].map(([, row = '']) => {
    const terms = new Map<string, RdfTerm>();
    for (const [, name, inner] of row.matchAll(
      /<binding\s+name\s*=\s*["']([^"']+)["']\s*>([\s\S]*?)<\/binding>/g,
    )) {
      const found = /<(uri|bnode|literal)([^>]*?)(?:\/>|>([\s\S]*?)<\/\1>)/.exec(inner!)!;
      const [, type, attributes, value = ''] = found;
      const attribute = (key: string): string | undefined =>
        new RegExp(`${key}\\s*=\\s*["']([^"']*)`).exec(attributes!)?.[1];
      const [datatype, language] = [attribute('datatype'), attribute('xml:lang')];
      terms.set(
        name!,
        type === 'literal'
          ? literal(unescapeXml(value), datatype, language)
          : { type: type as 'uri', value: unescapeXml(value) },
      );
    }
    return variables.map((variable) => terms.get(variable));
  });
  return { variables, rows };
}

function literal(value: string, datatype?: string, language?: string): RdfTerm {
  if (language !== undefined) return { type: 'literal', value, 'xml:lang': language };
  return datatype === undefined || datatype.endsWith('XMLSchema#string')
    ? { type: 'literal', value }
    : { type: 'literal', value, datatype };
}

interface JsonTerm {
  readonly type: string;
  readonly value: string;
  readonly datatype?: string;
  readonly 'xml:lang'?: string;
}

function readJson(text: string): SparqlResult {
  const parsed = JSON.parse(text) as {
    readonly boolean?: boolean;
    readonly head: { readonly vars: readonly string[] };
    readonly results: { readonly bindings: readonly Readonly<Record<string, JsonTerm>>[] };
  };
  if (parsed.boolean !== undefined) return parsed.boolean;
  const { vars: variables } = parsed.head;
  const rows = parsed.results.bindings.map((row) =>
    variables.map((variable): RdfTerm | undefined => {
      const term = row[variable];
      if (term === undefined) return undefined;
      const { type, value, datatype, 'xml:lang': language } = term;
      return type.endsWith('literal') ? literal(value, datatype, language) : { type: type as 'uri', value };
    }),
  );
  return { variables, rows };
}

function readTsv(text: string): SparqlResult {
  const [head = '', ...lines] = text.replace(/\r?\n$/, '').split(/\r?\n/);
  const variables = head.split('\t').map((name) => name.replace(/^\?/, ''));
  const termOfText = (field: string): RdfTerm | undefined => {
    if (field === '') return undefined;
    const [quad] = new Parser().parse(`<a:s> <a:p> ${field} .`);
    return termOf(quad!.object);
  };
  return { variables, rows: lines.map((line) => line.split('\t').map(termOfText)) };
}

const rs = 'http://www.w3.org/2001/sw/DataAccess/tests/result-set#';

function readResultSet(store: Store): SparqlResult | undefined {
  const values = (subject: Term | null, name: string): Term[] =>
    store.getObjects(subject, `${rs}${name}`, null);
  const [boolean] = values(null, 'boolean');
  if (boolean !== undefined) return boolean.value === 'true';
  const variables = values(null, 'resultVariable').map(({ value }) => value);
  if (variables.length === 0) return undefined;
  const rows = values(null, 'solution').map((solution) => {
    const row = new Map(
      values(solution, 'binding').map((binding) => [
        values(binding, 'variable')[0]!.value,
        termOf(values(binding, 'value')[0]!),
      ]),
    );
    return variables.map((variable) => row.get(variable));
  });
  return { variables, rows };
}
