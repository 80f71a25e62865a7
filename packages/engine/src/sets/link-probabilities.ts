import type { KnowledgeGraph } from '@fuzzqe/core';
import type { Query } from '@fuzzqe/core/query';
import {
  type LinkProbability,
  linkOffsets,
  linkProbability,
  type SetGraphs,
  shareCalibration,
} from '@fuzzqe/core/sets';
import { createSetGraphs, type SetRunner } from './set-graphs.ts';

/** What probabilities of links are computed from. */
export interface LinkProbabilitiesContext extends Pick<SetRunner, 'model' | 'run'> {
  /** Of the bundle; null where there were no held-out facts to fit it on. */
  readonly probability: LinkProbability | null;
  readonly facts: KnowledgeGraph;
}

/** (11) of an entity as the tail of a link that is not recorded. */
export type ProbabilityOf = (entity: number) => number;

/** How likely the unrecorded links are that each query asks for; undefined for a query that is not one link. */
export type LinkProbabilities = (queries: readonly Query[]) => Promise<(ProbabilityOf | undefined)[]>;

/** The probabilities of links of one bundle: one more run of `links`, at a temperature of its own. */
export function createLinkProbabilities(context: LinkProbabilitiesContext): LinkProbabilities {
  const { model, run, probability, facts } = context;
  // The engine refuses such questions to a bundle that does not say.
  if (probability === null) return async (queries) => queries.map(() => undefined);
  const calibration = shareCalibration(probability.temperature);
  const partitions = Float32Array.from(probability.partitions);
  const graphs: Pick<SetGraphs, 'links'> = createSetGraphs({ model, calibration, run });
  return async (queries) => {
    const asked = queries.map(linkOf);
    const links = asked.filter((link) => link !== undefined);
    if (links.length === 0) return asked.map(() => undefined);
    const heads = Int32Array.from(links, ({ head }) => head);
    const relations = Int32Array.from(links, ({ relation }) => relation);
    const offsets = linkOffsets(calibration, partitions, facts, heads, relations);
    const shares = await graphs.links({ heads, relations, offsets });
    let row = 0;
    return asked.map((link): ProbabilityOf | undefined => {
      if (link === undefined) return undefined;
      const first = row * model.entities;
      row += 1;
      return (entity) => linkProbability(probability, Math.log(shares[first + entity]!));
    });
  };
}

/** The link that a query asks for; undefined where it is more. */
function linkOf(query: Query): { readonly head: number; readonly relation: number } | undefined {
  if (query.op !== 'project' || query.from.op !== 'entity') return undefined;
  return { head: query.from.entity, relation: query.relation };
}
