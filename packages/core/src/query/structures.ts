/**
 * The 14 query structures of the BetaE data sets as data.
 *
 * A structure is a query tree whose anchors and relations are slots, numbered from left to right as they are
 * read in KGReasoning's nested tuples: anchors in order of appearance, relations in order of application.
 *
 * Source: FuzzQE (AAAI 2022), Figure "Query structure types", after BetaE (NeurIPS 2020).
 */
export type Template =
  | { readonly op: 'entity'; readonly anchor: number }
  | { readonly op: 'project'; readonly relation: number; readonly from: Template }
  | { readonly op: 'and' | 'or'; readonly operands: readonly Template[] }
  | { readonly op: 'not'; readonly operand: Template };

/** The names of the structures, in the order in which the field reports them. */
export const structureNames = [
  '1p',
  '2p',
  '3p',
  '2i',
  '3i',
  'pi',
  'ip',
  '2u',
  'up',
  '2in',
  '3in',
  'inp',
  'pin',
  'pni',
] as const;

/** The name of one of the 14 structures. */
export type StructureName = (typeof structureNames)[number];

/** A query shape with numbered slots. */
export interface Structure {
  readonly name: StructureName;
  readonly template: Template;
  /** How many anchors a query of this structure has. */
  readonly anchors: number;
  /** How many relations a query of this structure has. */
  readonly relations: number;
  /** Whether it contains a negation. */
  readonly negation: boolean;
  /** Whether the paper trains on it (10 of 14); the others only test generalisation. */
  readonly trained: boolean;
}

const anchor = (slot: number): Template => ({ op: 'entity', anchor: slot });
const path = (from: number, ...relations: readonly number[]): Template => hops(anchor(from), ...relations);
const hops = (from: Template, ...relations: readonly number[]): Template =>
  relations.reduce<Template>((inner, relation) => ({ op: 'project', relation, from: inner }), from);
const and = (...operands: readonly Template[]): Template => ({ op: 'and', operands });
const or = (...operands: readonly Template[]): Template => ({ op: 'or', operands });
const not = (operand: Template): Template => ({ op: 'not', operand });

/** What each structure says of itself; the rest of a `Structure` follows from its template. */
const entries: Readonly<Record<StructureName, Pick<Structure, 'template' | 'trained'>>> = {
  '1p': { template: path(0, 0), trained: true },
  '2p': { template: path(0, 0, 1), trained: true },
  '3p': { template: path(0, 0, 1, 2), trained: true },
  '2i': { template: and(path(0, 0), path(1, 1)), trained: true },
  '3i': { template: and(path(0, 0), path(1, 1), path(2, 2)), trained: true },
  pi: { template: and(path(0, 0, 1), path(1, 2)), trained: false },
  ip: { template: hops(and(path(0, 0), path(1, 1)), 2), trained: false },
  '2u': { template: or(path(0, 0), path(1, 1)), trained: false },
  up: { template: hops(or(path(0, 0), path(1, 1)), 2), trained: false },
  '2in': { template: and(path(0, 0), not(path(1, 1))), trained: true },
  '3in': { template: and(path(0, 0), path(1, 1), not(path(2, 2))), trained: true },
  inp: { template: hops(and(path(0, 0), not(path(1, 1))), 2), trained: true },
  pin: { template: and(path(0, 0, 1), not(path(1, 2))), trained: true },
  pni: { template: and(not(path(0, 0, 1)), path(1, 2)), trained: true },
};

/** Every structure by name. */
export const structures: Readonly<Record<StructureName, Structure>> = Object.fromEntries(
  structureNames.map((name) => {
    const entry = entries[name];
    return [name, { name, ...entry, ...countSlots(entry.template) } satisfies Structure];
  }),
) as Record<StructureName, Structure>;

/** Counts the slots of a template whose slots are numbered without gaps. */
export function countSlots(template: Template): Pick<Structure, 'anchors' | 'relations' | 'negation'> {
  switch (template.op) {
    case 'entity':
      return { anchors: 1, relations: 0, negation: false };
    case 'project': {
      const inner = countSlots(template.from);
      return { ...inner, relations: inner.relations + 1 };
    }
    case 'not':
      return { ...countSlots(template.operand), negation: true };
    default:
      return template.operands.map(countSlots).reduce((left, right) => ({
        anchors: left.anchors + right.anchors,
        relations: left.relations + right.relations,
        negation: left.negation || right.negation,
      }));
  }
}
