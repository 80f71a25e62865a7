import { isCombined, type Profile } from '@fuzzqe/bundle';
import {
  matchStructure,
  type Query,
  type Structure,
  type StructureName,
  type Template,
  templateOf,
} from '@fuzzqe/core/query';
import { appendSteps, type OperatorStep } from './operator-steps.ts';

/** The graphs that can embed a query. */
export const planKinds = ['structure', 'operators', 'program', 'edge'] as const;

/** By a structure's own graph, by composed operators, by the program graph or by the edge graph. */
export type PlanKind = (typeof planKinds)[number];

/**
 * Which graphs are to embed.
 *
 * `auto` is `structure`, except that queries of different structures in one batch share runs of the program graph. A kind
 * is for queries that are one of the 14 structures; operators embed every other tree.
 */
export type PlanChoice = 'auto' | PlanKind;

/** What a profile makes of a choice. */
export interface Planning {
  readonly choice: PlanChoice;
  /** Whether projections of what is no anchor start from its centroid. */
  readonly centroids: boolean;
}

/** The graphs that embed in a profile where some are wanted: combined, there are operators alone. */
export function planIn(profile: Pick<Profile, 'rank' | 'operators'>, wanted: PlanChoice): Planning {
  return {
    choice: isCombined(profile) ? 'operators' : wanted,
    centroids: profile.operators.centroid !== undefined,
  };
}

/** How one query will be embedded: the shape that it shares with others, and what fills its slots. */
export interface Plan {
  readonly template: Template;
  readonly kind: PlanKind;
  /** The structure that the slots are of; undefined where operators are composed. */
  readonly structure: Structure | undefined;
  /** Whether queries of other structures may be embedded together with it, by the program graph. */
  readonly mixes: boolean;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  /** Whether composed operators have centroids among them. */
  readonly centroids: boolean;
  /** Equal for queries that graphs of its kind can embed together. */
  readonly shape: string;
}

/** What a plan does, for people and for JSON. */
export interface PlanSummary {
  /** How the query is answered on its own. */
  readonly kind: PlanKind | 'sets';
  /** The structure that the query is, whichever graph answers it. */
  readonly structure: StructureName | null;
  /** How many rows of each graph it takes. */
  readonly graphs: Readonly<Record<string, number>>;
}

/** Plans a checked query. */
export function planQuery(query: Query, { choice, centroids }: Planning): Plan {
  const kind = choice === 'auto' ? 'structure' : choice;
  const match = kind === 'operators' ? undefined : matchStructure(query);
  if (match === undefined)
    return {
      ...templateOf(query),
      kind: 'operators',
      structure: undefined,
      mixes: false,
      centroids,
      shape: 'operators',
    };
  const { structure } = match;
  return {
    ...match,
    template: structure.template,
    kind,
    mixes: choice === 'auto',
    centroids,
    shape: kind === 'program' ? 'program' : `${kind} ${structure.name}`,
  };
}

/** Says what the plan of a query does. */
export function summarisePlan(query: Query, planning: Planning): PlanSummary {
  const structure = matchStructure(query)?.structure.name ?? null;
  const plan = planQuery(query, planning);
  const { kind } = plan;
  if (kind !== 'operators')
    return { kind, structure, graphs: { [kind === 'structure' ? structure! : kind]: 1, rank: 1 } };
  const steps: OperatorStep[] = [];
  appendSteps(steps, plan);
  const graphs: Record<string, number> = {};
  for (const { operator } of steps) graphs[operator] = (graphs[operator] ?? 0) + 1;
  return { kind, structure, graphs: { ...graphs, rank: 1 } };
}
