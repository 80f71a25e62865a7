import type { RdfTerm, SparqlResult } from '@fuzzqe/sparql/evaluate';

type Row = readonly (RdfTerm | undefined)[];

/** Whether two results are the same, in any order and whatever blank nodes are called. */
export function sameResult(a: SparqlResult, b: SparqlResult): boolean {
  if (typeof a === 'boolean' || typeof b === 'boolean') return a === b;
  if ('triples' in a !== 'triples' in b) return false;
  if ('triples' in a && 'triples' in b) return sameRows(distinct(rowsOf(a)), distinct(rowsOf(b)));
  if ('triples' in a || 'triples' in b) return false;
  const variables = [...a.variables].sort();
  if (variables.join() !== [...b.variables].sort().join()) return false;
  const sorted = ({ variables: own, rows }: typeof a): Row[] =>
    rows.map((row) => variables.map((name) => row[own.indexOf(name)]));
  return sameRows(sorted(a), sorted(b));
}

function rowsOf({ triples }: Extract<SparqlResult, { triples: unknown }>): Row[] {
  return triples.map(({ subject, predicate, object }) => [subject, predicate, object]);
}

function distinct(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()];
}

/** Pairs every row with one of the others, so that each blank node stands for one. */
function sameRows(rows: readonly Row[], others: readonly Row[]): boolean {
  if (rows.length !== others.length) return false;
  const left = [...rows].sort((x, y) => blanksOf(x) - blanksOf(y));
  const used = new Set<number>();
  const names = new Map<string, string>();
  const pair = (at: number): boolean => {
    const row = left[at];
    if (row === undefined) return true;
    for (const [place, other] of others.entries()) {
      if (used.has(place)) continue;
      const named: string[] = [];
      if (row.every((term, i) => fits(term, other[i], names, named))) {
        used.add(place);
        if (pair(at + 1)) return true;
        used.delete(place);
      }
      for (const name of named) names.delete(name);
      // Rows without blank nodes are the same as any other of their kind.
      if (blanksOf(row) === 0 && used.has(place)) return false;
    }
    return false;
  };
  return pair(0);
}

function blanksOf(row: Row): number {
  return row.filter((term) => term?.type === 'bnode').length;
}

function fits(
  a: RdfTerm | undefined,
  b: RdfTerm | undefined,
  names: Map<string, string>,
  named: string[],
): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.type === 'bnode') {
    if (b.type !== 'bnode') return false;
    const known = names.get(a.value);
    if (known !== undefined) return known === b.value;
    if ([...names.values()].includes(b.value)) return false;
    names.set(a.value, b.value);
    named.push(a.value);
    return true;
  }
  return sameTerm(a, b) || sameNumber(a, b);
}

function sameTerm(a: RdfTerm, b: RdfTerm): boolean {
  if (a.type !== 'literal' || b.type !== 'literal') return a.type === b.type && a.value === b.value;
  const language = (term: typeof a): string | undefined => term['xml:lang']?.toLowerCase();
  return a.value === b.value && a.datatype === b.datatype && language(a) === language(b);
}

const xsd = 'http://www.w3.org/2001/XMLSchema#';
const numeric = new Set(['integer', 'decimal', 'double', 'float'].map((name) => xsd + name));

/** Whether two literals of a numeric type have one value: `2.0` and `2.00`. */
function sameNumber(a: RdfTerm, b: RdfTerm): boolean {
  if (a.type !== 'literal' || b.type !== 'literal' || a.datatype !== b.datatype) return false;
  if (a.datatype === undefined || !numeric.has(a.datatype)) return false;
  return Math.abs(Number(a.value) - Number(b.value)) <= 1e-9 * Math.abs(Number(a.value));
}
