import type { Query } from '@traqula/rules-sparql-1-1';

/** How the IRI of a relation begins of which recorded facts alone are asked. */
export const recordedBeginning = 'urn:fuzzqe:recorded:';

/**
 * The same query, whose paths of any length follow recorded facts: a chain of likely links is hardly likely itself, and has no end.
 *
 * @param query with whole IRIs.
 */
export function recordedPaths(query: Query): Query {
  const copyOf = (part: unknown, isRecorded: boolean): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map((each) => copyOf(each, isRecorded));
    const { type, subType, value }: { type?: unknown; subType?: unknown; value?: unknown } = part;
    if (isRecorded && subType === 'namedNode') return { ...part, value: `${recordedBeginning}${value}` };
    const isLong = isRecorded || (type === 'path' && (subType === '*' || subType === '+'));
    return Object.fromEntries(
      Object.entries(part).map(([name, each]) => [name, name === 'loc' ? each : copyOf(each, isLong)]),
    );
  };
  // A copy of every part is of the kind of the part.
  return copyOf(query, false) as Query;
}
