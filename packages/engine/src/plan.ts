import type { OperatorName, Profile } from '@fuzzqe/core/bundle';
import {
  matchStructure,
  type Query,
  type Structure,
  type StructureName,
  type Template,
  templateOf,
} from '@fuzzqe/core/query';
import { appendSteps, type OperatorStep } from './operator-steps.ts';

/** The graphs that can answer a query. */
export const planKinds = ['structure', 'operators', 'program', 'edge'] as const;

/** By a structure's own graph, by composed operators, by the program graph or by the edge graph. */
export type PlanKind = (typeof planKinds)[number];

/**
 * Which graphs are to answer.
 *
 * `auto` is `structure`, except that queries of different structures in one batch share runs of the program graph where
 * the bundle has one. A kind is for queries that are one of the 14 structures; operators answer every other tree, and
 * whatever a bundle without the program or the edge graph was to answer by it.
 */
export type PlanChoice = 'auto' | PlanKind;

/** How one query will be answered: the shape that it shares with others, and what fills its slots. */
export interface Plan {
  readonly template: Template;
  readonly kind: PlanKind;
  /** The structure that the slots are of; undefined where operators are composed. */
  readonly structure: Structure | undefined;
  /** Whether queries of other structures may be answered together with it, by the program graph. */
  readonly mixes: boolean;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  /** Equal for queries that graphs of its kind can answer together. */
  readonly shape: string;
}

/** What a plan does, for people and for JSON. */
export interface PlanSummary {
  /** How the query is answered on its own. */
  readonly kind: PlanKind;
  /** The structure that the query is, whichever graph answers it. */
  readonly structure: StructureName | null;
  /** How many rows of each graph it takes. */
  readonly graphs: Readonly<Record<string, number>>;
}

/** Plans a checked query for the graphs that a profile has. */
export function planQuery(
  query: Query,
  choice: PlanChoice,
  { program, edge }: Pick<Profile, 'program' | 'edge'>,
): Plan {
  const match = matchStructure(query);
  const wanted = choice === 'auto' ? 'structure' : choice;
  const graph = { structure: true, operators: false, program, edge }[wanted];
  if (match === undefined || graph === undefined || graph === false) {
    const filled = templateOf(query);
    return {
      ...filled,
      kind: 'operators',
      structure: undefined,
      mixes: false,
      shape: 'operators',
    };
  }
  const { structure, anchors, relations } = match;
  return {
    template: structure.template,
    kind: wanted,
    structure,
    mixes: choice === 'auto' && program !== undefined,
    anchors,
    relations,
    shape: wanted === 'program' ? 'program' : `${wanted} ${structure.name}`,
  };
}

/** Says what a plan of a query does. */
export function summarisePlan(query: Query, plan: Plan): PlanSummary {
  if (plan.structure !== undefined) {
    const { name } = plan.structure;
    return {
      kind: plan.kind,
      structure: name,
      graphs: { [plan.kind === 'structure' ? name : plan.kind]: 1 },
    };
  }
  const steps: OperatorStep[] = [];
  appendSteps(steps, plan);
  const graphs: Partial<Record<OperatorName | 'rank', number>> = {};
  for (const { operator } of steps) graphs[operator] = (graphs[operator] ?? 0) + 1;
  graphs.rank = 1;
  return { kind: 'operators', structure: matchStructure(query)?.structure.name ?? null, graphs };
}
