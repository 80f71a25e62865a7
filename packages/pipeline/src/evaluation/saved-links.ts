import { asRelationId, schema, type Vocabulary } from '@fuzzqe/core';
import { type KnownHalf, knownHalves } from '@fuzzqe/data';
import type { LinkReport } from '@fuzzqe/train';

/** The figures of 1p queries of one relation, or of answers of which the known facts have the same halves. */
interface LinkFigures {
  readonly answers: number;
  readonly mrr: number;
  /** Of rules alone, where the rules were measured, too. */
  readonly rules?: number;
}

/** The figures of 1p queries, as a report shows them. */
export interface SavedLinks {
  /** The relations with most answers, at most 200, most answers first; an inverse has `^-1` after its label. */
  readonly relations: readonly ({ readonly relation: string } & LinkFigures)[];
  /** How many relations have fewer answers and are left out. */
  readonly more: number;
  readonly halves: readonly ({ readonly known: KnownHalf; readonly share: number } & LinkFigures)[];
}

const most = 200;

/** What is kept of the figures of links, with the MRR of rules alone. */
export function savedLinks(
  { relations, halves }: LinkReport,
  rules: LinkReport | undefined,
  vocabulary: Pick<Vocabulary, 'relation'>,
): SavedLinks {
  const withRules = (mrr: number | undefined) => (mrr === undefined ? {} : { rules: mrr });
  const sorted = [...relations].sort((a, b) => b.answers - a.answers || a.relation - b.relation);
  return {
    relations: sorted.slice(0, most).map(({ relation, answers, mrr }) => {
      const { label, inverse } = vocabulary.relation(asRelationId(relation));
      const ofRules = rules?.relations.find((each) => each.relation === relation)?.mrr;
      return { relation: inverse ? `${label}^-1` : label, answers, mrr, ...withRules(ofRules) };
    }),
    more: Math.max(0, relations.length - most),
    halves: halves.map(({ known, share, answers, mrr }) => ({
      ...{ known, share, answers, mrr },
      ...withRules(rules?.halves.find((each) => each.known === known)?.mrr),
    })),
  };
}

const share = schema.number({ min: 0, max: 1 });
const count = schema.integer({ min: 0 });
const figures = { answers: count, mrr: share, rules: schema.optional(share) };

export const savedLinksSchema: schema.Schema<SavedLinks> = schema.object({
  relations: schema.array(schema.object({ relation: schema.string, ...figures })),
  more: count,
  halves: schema.array(schema.object({ known: schema.oneOf(knownHalves), share, ...figures })),
});
