import { FuzzError } from '@fuzzqe/core';

/** Properties by which a node is called, the first that it has. */
const keys = ['uri', 'iri', 'id', 'key', 'name', 'title'] as const;

/** The text of a value that Neo4j sent, and notes on the names of nodes. */
export interface CellWriter {
  /** @throws FuzzError `data`: a path, or a node without a property that can be its name. */
  textOf(value: unknown, title: string): string;
  readonly notes: readonly string[];
}

/** What a node of the driver is. */
interface Node {
  readonly labels: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
}

/**
 * Writes values of Neo4j as texts.
 *
 * A node has the text of its first property among uri, iri, id, key, name and title; a relationship has its type. Numbers and times have the text that
 * Cypher gives them, lists and maps have JSON, and null has no text.
 */
export function createCellWriter(place: string): CellWriter {
  const taken = new Map<string, string>();
  const ofNode = ({ labels, properties }: Node, title: string): string => {
    const key = keys.find((name) => isScalar(properties[name]));
    if (key === undefined) throw nameless(place, title, labels, Object.keys(properties));
    taken.set(`${title} ${key}`, `${title}: nodes are called by their property ${key}`);
    return textOf(properties[key], title);
  };
  const textOf = (value: unknown, title: string): string => {
    if (value === null || value === undefined) return '';
    if (typeof value !== 'object') return String(value);
    if (isNode(value)) return ofNode(value, title);
    if ('type' in value && 'properties' in value) return String(value.type);
    if ('segments' in value)
      throw new FuzzError('data', `${title}: expected a node, a relationship or a value, got a path`, {
        path: place,
        hint: 'Return its ends and its relationship: MATCH (h)-[r]->(t) RETURN h, r, t.',
      });
    if (value instanceof Uint8Array || value instanceof Int8Array) return Buffer.from(value).toString('hex');
    // Integers, times, durations and points write themselves.
    if (writesItself(value)) return String(value);
    return JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'bigint' || writesItself(inner) ? String(inner) : inner,
    );
  };
  return {
    textOf,
    get notes() {
      return [...taken.values()].map((note) => `${place}: ${note}; nodes with the same one are one entity`);
    },
  };
}

function isNode(value: object): value is Node {
  return 'labels' in value && Array.isArray(value.labels) && 'properties' in value;
}

function isScalar(value: unknown): boolean {
  return (
    (typeof value === 'string' && value.trim() !== '') ||
    typeof value === 'number' ||
    typeof value === 'bigint' ||
    writesItself(value)
  );
}

function writesItself(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    value.toString !== Object.prototype.toString
  );
}

function nameless(
  place: string,
  title: string,
  labels: readonly string[],
  properties: readonly string[],
): FuzzError {
  const has =
    properties.length === 0 ? 'no properties' : `the properties ${properties.slice(0, 12).join(', ')}`;
  return new FuzzError(
    'data',
    `${title}: expected a node with one of ${keys.join(', ')}, got one of (:${labels.join(':')}) with ${has}`,
    { path: place, hint: `Return what names the node: RETURN ${title}.${properties[0] ?? 'name'}, ….` },
  );
}
