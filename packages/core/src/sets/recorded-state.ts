import type { KnowledgeGraph } from '../kg/knowledge-graph.ts';
import type { GivenMembers, SetsState } from './answer-sets.ts';
import type { LinkDegrees } from './link-degrees.ts';

/**
 * The state that answers by recorded facts alone: a recorded link has degree 1, every other link 0; of sets that are given, what is certain is left.
 *
 * Patterns then have the answers of a SPARQL engine: `answerPattern` takes `predicted: 0` with it.
 */
export function recordedState(
  graph: KnowledgeGraph,
  { logic, given, arrays }: Pick<SetsState, 'logic' | 'given' | 'arrays'>,
): SetsState {
  const facts = { ...graph, confidences: undefined };
  // Recorded links of all members count, so that one member is enough.
  const projection = { support: 0, certainMembers: 1, predictedMembers: 0 };
  const certain = given && new Map([...given].map(([name, set]) => [name, certainOf(set)]));
  return { links: recordedLinks(graph), logic, projection, facts, given: certain, arrays };
}

/** The members of degree 1. */
function certainOf({ ids, degrees }: GivenMembers): GivenMembers {
  return {
    ids: ids.filter((_, i) => degrees[i] === 1),
    degrees: degrees.filter((degree) => degree === 1),
  };
}

function recordedLinks(facts: KnowledgeGraph): LinkDegrees {
  const { entityCount } = facts;
  return {
    async rows(heads, relations) {
      const rows = new Float32Array(heads.length * entityCount);
      heads.forEach((head, i) => {
        for (const tail of facts.tails(head, relations[i]!)) rows[i * entityCount + tail] = 1;
      });
      return rows;
    },
  };
}
