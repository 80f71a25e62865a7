/** A query tree in the JSON notation of docs/query-notation.md, with ids for names. */
export type OracleQuery =
  | { readonly entity: number }
  | { readonly project: number; readonly from: OracleQuery }
  | { readonly and: readonly OracleQuery[] }
  | { readonly or: readonly OracleQuery[] }
  | { readonly not: OracleQuery };

type Ids = readonly number[];

const hop = (relation: number | undefined, from: OracleQuery): OracleQuery => ({
  project: defined(relation),
  from,
});
const one = (anchor: number | undefined, relation: number | undefined): OracleQuery =>
  hop(relation, { entity: defined(anchor) });
const not = (operand: OracleQuery): OracleQuery => ({ not: operand });
const and = (...operands: OracleQuery[]): OracleQuery => ({ and: operands });
const or = (...operands: OracleQuery[]): OracleQuery => ({ or: operands });

/** The table of structures in docs/bundle-format.md, row by row: anchors, relations, and the tree they fill. */
export const oracleStructures: Readonly<
  Record<string, { readonly a: number; readonly r: number; readonly tree: (a: Ids, r: Ids) => OracleQuery }>
> = {
  '1p': { a: 1, r: 1, tree: (a, r) => one(a[0], r[0]) },
  '2p': { a: 1, r: 2, tree: (a, r) => hop(r[1], one(a[0], r[0])) },
  '3p': { a: 1, r: 3, tree: (a, r) => hop(r[2], hop(r[1], one(a[0], r[0]))) },
  '2i': { a: 2, r: 2, tree: (a, r) => and(one(a[0], r[0]), one(a[1], r[1])) },
  '3i': { a: 3, r: 3, tree: (a, r) => and(one(a[0], r[0]), one(a[1], r[1]), one(a[2], r[2])) },
  pi: { a: 2, r: 3, tree: (a, r) => and(hop(r[1], one(a[0], r[0])), one(a[1], r[2])) },
  ip: { a: 2, r: 3, tree: (a, r) => hop(r[2], and(one(a[0], r[0]), one(a[1], r[1]))) },
  '2u': { a: 2, r: 2, tree: (a, r) => or(one(a[0], r[0]), one(a[1], r[1])) },
  up: { a: 2, r: 3, tree: (a, r) => hop(r[2], or(one(a[0], r[0]), one(a[1], r[1]))) },
  '2in': { a: 2, r: 2, tree: (a, r) => and(one(a[0], r[0]), not(one(a[1], r[1]))) },
  '3in': { a: 3, r: 3, tree: (a, r) => and(one(a[0], r[0]), one(a[1], r[1]), not(one(a[2], r[2]))) },
  inp: { a: 2, r: 3, tree: (a, r) => hop(r[2], and(one(a[0], r[0]), not(one(a[1], r[1])))) },
  pin: { a: 2, r: 3, tree: (a, r) => and(hop(r[1], one(a[0], r[0])), not(one(a[1], r[2]))) },
  pni: { a: 2, r: 3, tree: (a, r) => and(not(hop(r[1], one(a[0], r[0]))), one(a[1], r[2])) },
};

/** The query of a structure, its slots filled in the order of docs/bundle-format.md. */
export function oracleQuery(structure: string, anchors: Ids, relations: Ids): OracleQuery {
  return defined(oracleStructures[structure]).tree(anchors, relations);
}

function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a structure has slots that nothing fills');
  return value;
}
