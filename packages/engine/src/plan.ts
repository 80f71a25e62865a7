import {
  matchStructure,
  type OperatorName,
  type Query,
  type Structure,
  type StructureName,
  type Template,
  templateOf,
} from '@fuzzqe/core';

/** Which graphs may answer: a structure's own where there is one, or operators only. */
export type PlanChoice = 'auto' | 'operators';

/** How one query will be answered: the shape that it shares with others, and what fills its slots. */
export interface Plan {
  readonly template: Template;
  /** The structure whose own graph answers; undefined where operators are composed. */
  readonly structure: Structure | undefined;
  readonly anchors: readonly number[];
  readonly relations: readonly number[];
  /** Equal for queries that one run can answer together. */
  readonly shape: string;
}

/** What a plan does, for people and for JSON. */
export interface PlanSummary {
  readonly kind: 'structure' | 'operators';
  /** The structure that the query is, whichever way it is answered. */
  readonly structure: StructureName | null;
  /** How often each graph runs. */
  readonly graphs: Readonly<Record<string, number>>;
}

/** Plans a checked query. */
export function planQuery(query: Query, choice: PlanChoice = 'auto'): Plan {
  const match = choice === 'auto' ? matchStructure(query) : undefined;
  if (match !== undefined) {
    const { structure, anchors, relations } = match;
    return { template: structure.template, structure, anchors, relations, shape: structure.name };
  }
  const filled = templateOf(query);
  return { ...filled, structure: undefined, shape: JSON.stringify(filled.template) };
}

/** Says what a plan of a query does. */
export function summarisePlan(query: Query, plan: Plan): PlanSummary {
  if (plan.structure !== undefined) {
    const { name } = plan.structure;
    return { kind: 'structure', structure: name, graphs: { [name]: 1 } };
  }
  const graphs: Partial<Record<OperatorName, number>> = {};
  const count = (name: OperatorName, times = 1): void => {
    graphs[name] = (graphs[name] ?? 0) + times;
  };
  const visit = (template: Template): void => {
    switch (template.op) {
      case 'entity':
        count('anchor');
        return;
      case 'project':
        visit(template.from);
        count('project');
        return;
      case 'not':
        visit(template.operand);
        count('negation');
        return;
      case 'and':
      case 'or':
        template.operands.forEach(visit);
        count(template.op === 'and' ? 'conjunction' : 'disjunction', template.operands.length - 1);
        return;
      default:
        template satisfies never;
    }
  };
  visit(plan.template);
  count('score');
  return { kind: 'operators', structure: matchStructure(query)?.structure.name ?? null, graphs };
}
