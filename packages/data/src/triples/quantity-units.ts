const [wikibase, qudt, om] = [
  'http://wikiba.se/ontology#',
  'http://qudt.org/schema/qudt/',
  'http://www.ontology-of-units-of-measure.org/resource/om-2/',
];

const amounts: ReadonlySet<string> = new Set([
  ...['quantityAmount', 'quantityLowerBound', 'quantityUpperBound'].map((name) => wikibase + name),
  ...['numericValue', 'value'].map((name) => qudt + name),
  `${om}hasNumericalValue`,
]);
const unitProperties: ReadonlySet<string> = new Set([
  `${wikibase}quantityUnit`,
  `${qudt}unit`,
  `${qudt}hasUnit`,
  `${om}hasUnit`,
]);
/** The unit of Wikidata's numbers that have none. */
const one = 'http://www.wikidata.org/entity/Q199';

/** The units that nodes of quantities name. */
export interface QuantityUnits {
  /** Takes a fact that may name a unit. */
  link(head: string, relation: string, tail: string): void;
  /** The key of the unit of a node's number; undefined if the property gives no amount or the node names no unit. */
  of(node: string, property: string): string | undefined;
}

/** No units yet. Memory: every node with a unit. Source: the RDF of Wikibase, QUDT and OM 2. */
export function createQuantityUnits(): QuantityUnits {
  const units = new Map<string, string>();
  return {
    link(head, relation, tail) {
      if (unitProperties.has(relation) && tail !== one) units.set(head, tail);
    },
    of: (node, property) => (amounts.has(property) ? units.get(node) : undefined),
  };
}
