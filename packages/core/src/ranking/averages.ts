import { nodesOf } from '../query/nodes.ts';
import { type StructureName, structureNames, structures, type Template } from '../query/structures.ts';

/** The means over structures that are reported. */
export const averageNames = [
  'withoutNegation',
  'withNegation',
  'projection',
  'intersection',
  'union',
] as const;
export type AverageName = (typeof averageNames)[number];

/** Whether a template has an operator anywhere. */
const has = (template: Template, op: Template['op']): boolean =>
  nodesOf(template).some((node) => node.op === op);

/** A mean over structures, by what their templates have. */
export interface Average {
  /** As tables show it. */
  readonly title: string;
  readonly structures: readonly StructureName[];
}

const over = (title: string, belongs: (template: Template, negation: boolean) => boolean): Average => ({
  title,
  structures: structureNames.filter((name) => belongs(structures[name].template, structures[name].negation)),
});

/**
 * Over which structures each mean is taken; a structure belongs where its template puts it.
 *
 * The first two are the paper's avg_p and avg_n; the others are the structures without negation, by the operator that
 * makes them hard. Source: BetaE (NeurIPS 2020), FuzzQE (AAAI 2022).
 */
export const averages: Readonly<Record<AverageName, Average>> = {
  withoutNegation: over('without negation', (_, negation) => !negation),
  withNegation: over('with negation', (_, negation) => negation),
  projection: over('projection', (of, negation) => !negation && !has(of, 'and') && !has(of, 'or')),
  intersection: over('intersection', (of, negation) => !negation && has(of, 'and')),
  union: over('union', (of, negation) => !negation && !has(of, 'and') && has(of, 'or')),
};
