import type { KnowledgeGraph } from '@fuzzqe/core';
import type { Axiom } from './axiom.ts';
import { createEdgeLists } from './edge-lists.ts';
import { column, createFactTable, type FactTable } from './fact-table.ts';
import { oppositeAxioms } from './opposite-axioms.ts';
import { mayBeReflexive } from './self-loops.ts';

/** What the closure of facts gives. */
export interface Closure {
  /** The facts that were added. */
  readonly table: FactTable;
  readonly truncated: boolean;
  readonly loopsLeftOut: number;
}

/** What an axiom makes of a fact (h, r, t): (h, r', t), (t, r', h), (h, r', c), (t, r', c), or (h, r', h) and (t, r', t). */
interface Consequence {
  readonly axiom: number;
  readonly form: 'same' | 'reversed' | 'headIs' | 'tailIs' | 'loops';
  readonly relation: number;
  readonly class: number;
}

/** How many steps may be taken for each fact. */
const stepsEach = 16;

/**
 * Adds what axioms entail of facts until nothing is new, `most` are added or 16 (most + |facts|) steps are taken.
 *
 * Transitive relations are closed from the right by facts that transitivity itself did not add:
 * r(x, z) ← r(x, y), base(y, z), which reaches all of the closure with fewer repetitions.
 * What an irreflexive or asymmetric relation forbids is not added, and of axioms that contradict each other neither is followed.
 */
export function closeFacts(facts: KnowledgeGraph, axioms: readonly Axiom[], most: number): Closure {
  const { consequences, classes, typeRelation, transitive, irreflexive, asymmetric } = readAxioms(axioms);
  const table = createFactTable();
  const lists = createEdgeLists(facts.entityCount);
  let [steps, loopsLeftOut, truncated] = [0, 0, false];
  const mostSteps = stepsEach * (most + facts.edgeCount / 2);

  /** Adds a fact with its reason, unless it is known. */
  const add = (
    h: number,
    r: number,
    t: number,
    axiom: number,
    from: number,
    by: number,
    to: number,
  ): void => {
    if (truncated || facts.has(h, r, t) || table.find(h, r, t) >= 0) return;
    if (h === t && irreflexive.has(r)) return;
    if (asymmetric.has(r) && (facts.has(t, r, h) || table.find(t, r, h) >= 0)) return;
    if (table.count === most) {
      truncated = true;
      return;
    }
    const row = table.add([h, r, t, axiom, from, by, to]);
    const slot = transitive.get(r)?.slot;
    if (slot === undefined) return;
    lists.into.add(t, slot, row);
    if (axioms[axiom]!.kind !== 'transitive') lists.outOf.add(h, slot, row);
  };
  const mayGoOn = (): boolean => {
    if (steps >= mostSteps) truncated = true;
    steps += 1;
    return !truncated;
  };
  const join = (x: number, r: number, y: number, z: number, axiom: number): void => {
    if (x !== z || mayBeReflexive(facts, r)) add(x, r, z, axiom, x, r, y);
    else loopsLeftOut += 1;
  };
  const look = (h: number, r: number, t: number, isBase: boolean): void => {
    for (const { axiom, form, relation, class: instanceOf } of consequences.get(r) ?? []) {
      if (!mayGoOn()) return;
      if (form === 'same') add(h, relation, t, axiom, h, r, t);
      else if (form === 'reversed') add(t, relation, h, axiom, h, r, t);
      else if (form === 'loops') for (const e of [h, t]) add(e, relation, e, axiom, h, r, t);
      else add(form === 'headIs' ? h : t, relation, instanceOf, axiom, h, r, t);
    }
    if (r === typeRelation)
      for (const { axiom, above } of classes.get(t) ?? []) {
        if (!mayGoOn()) return;
        add(h, r, above, axiom, h, r, t);
      }
    const joined = transitive.get(r);
    if (joined === undefined || h === t) return;
    const { slot, axiom } = joined;
    for (const z of facts.tails(t, r)) {
      if (!mayGoOn()) return;
      join(h, r, t, z, axiom);
    }
    for (let row = lists.outOf.first(t, slot); row >= 0; row = lists.outOf.next(row)) {
      if (!mayGoOn()) return;
      join(h, r, t, table.get(row, column.tail), axiom);
    }
    if (!isBase) return;
    for (const x of facts.tails(h, r ^ 1)) {
      if (!mayGoOn()) return;
      join(x, r, h, t, axiom);
    }
    for (let row = lists.into.first(h, slot); row >= 0; row = lists.into.next(row)) {
      if (!mayGoOn()) return;
      join(table.get(row, column.head), r, h, t, axiom);
    }
  };

  const relations = new Set([...consequences.keys(), ...transitive.keys()]);
  if (typeRelation !== undefined) relations.add(typeRelation);
  for (const r of [...relations].sort((a, b) => a - b))
    for (const h of facts.headsOf(r)) for (const t of facts.tails(h, r)) if (!truncated) look(h, r, t, false);
  for (let row = 0; row < table.count && !truncated; row += 1) {
    const isBase = axioms[table.get(row, column.axiom)]!.kind !== 'transitive';
    look(table.get(row, column.head), table.get(row, column.relation), table.get(row, column.tail), isBase);
  }
  return { table, truncated, loopsLeftOut };
}

/** Axioms by what they are looked up by. */
interface ReadAxioms {
  readonly consequences: ReadonlyMap<number, readonly Consequence[]>;
  /** The superclasses of each class, for facts of the type relation. */
  readonly classes: ReadonlyMap<number, readonly { readonly axiom: number; readonly above: number }[]>;
  readonly typeRelation: number | undefined;
  /** Of each transitive relation its axiom, and its place among the transitive relations. */
  readonly transitive: ReadonlyMap<number, { readonly axiom: number; readonly slot: number }>;
  /** Relations without self loops, asymmetric ones among them. */
  readonly irreflexive: ReadonlySet<number>;
  readonly asymmetric: ReadonlySet<number>;
}

function readAxioms(axioms: readonly Axiom[]): ReadAxioms {
  const consequences = new Map<number, Consequence[]>();
  const classes = new Map<number, { axiom: number; above: number }[]>();
  const transitive = new Map<number, { axiom: number; slot: number }>();
  const [irreflexive, asymmetric] = [new Set<number>(), new Set<number>()];
  const ignored = new Set<Axiom>(oppositeAxioms(axioms).flat());
  let typeRelation: number | undefined;
  const push = <Value>(map: Map<number, Value[]>, key: number, value: Value): void => {
    const values = map.get(key);
    if (values === undefined) map.set(key, [value]);
    else values.push(value);
  };
  axioms.forEach((each, axiom) => {
    if (ignored.has(each)) return;
    const say = (from: number, form: Consequence['form'], relation: number, instanceOf = -1): void =>
      push(consequences, from, { axiom, form, relation, class: instanceOf });
    if (each.kind === 'subPropertyOf') say(each.relation, 'same', each.other);
    else if (each.kind === 'equivalentProperty') {
      say(each.relation, 'same', each.other);
      say(each.other, 'same', each.relation);
    } else if (each.kind === 'inverseOf') {
      say(each.relation, 'reversed', each.other);
      if (each.other !== each.relation) say(each.other, 'reversed', each.relation);
    } else if (each.kind === 'symmetric') say(each.relation, 'reversed', each.relation);
    else if (each.kind === 'reflexive') say(each.relation, 'loops', each.relation);
    else if (each.kind === 'irreflexive' || each.kind === 'asymmetric') {
      irreflexive.add(each.relation);
      if (each.kind === 'asymmetric') asymmetric.add(each.relation);
    } else if (each.kind === 'transitive') {
      if (!transitive.has(each.relation)) transitive.set(each.relation, { axiom, slot: transitive.size });
    } else if (each.kind === 'subClassOf' || each.kind === 'equivalentClass') {
      if (each.typeRelation === undefined) return;
      typeRelation = each.typeRelation;
      push(classes, each.sub, { axiom, above: each.super });
      if (each.kind === 'equivalentClass') push(classes, each.super, { axiom, above: each.sub });
    } else if ((each.kind === 'domain' || each.kind === 'range') && each.typeRelation !== undefined)
      say(each.relation, each.kind === 'domain' ? 'headIs' : 'tailIs', each.typeRelation, each.class);
  });
  return { consequences, classes, typeRelation, transitive, irreflexive, asymmetric };
}
