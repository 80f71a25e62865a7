import type { Vocabulary } from '@fuzzqe/core';
import type { RawParts } from '../triples/deduplicate-parts.ts';

/** Held-out facts whose mirror an earlier part states. */
export interface MirroredFacts {
  /** How many there are. */
  readonly mirrored: number;
  /** Which relations and parts, in sentences. */
  readonly notes: readonly string[];
}

/** Fewer mirrors than this are chance. */
const leastMirrors = 5;

/**
 * Counts the held-out facts (h, r, t) for which an earlier part states (t, s, h), where s is an inverse of r.
 *
 * An inverse is declared by owl:inverseOf or owl:SymmetricProperty, or evident: half of the held-out facts of r, and at
 * least five, have such a mirror. Distinct facts in each part, none in two of them.
 */
export function countMirrored({ train, valid, test }: RawParts, vocabulary: Vocabulary): MirroredFacts {
  const declared = declaredInverses([train, valid, test], vocabulary);
  const notes: string[] = [];
  let mirrored = 0;
  for (const [name, held, earlier] of [
    ['validation', valid, [train]],
    ['test', test, [train, valid]],
  ] as const) {
    const found = mirrorsOf(held, earlier, vocabulary.entityCount);
    const totals = new Map<number, number>();
    for (let i = 1; i < held.length; i += 3) totals.set(held[i]!, (totals.get(held[i]!) ?? 0) + 1);
    const leaking = new Set<number>();
    const pairs: string[] = [];
    for (const [relation, others] of found)
      for (const [other, facts] of others) {
        const isEvident = facts.length >= leastMirrors && 2 * facts.length >= totals.get(relation)!;
        if (!isEvident && !declared.has(`${relation} ${other}`)) continue;
        for (const fact of facts) leaking.add(fact);
        const [one, two] = [vocabulary.relation(relation).label, vocabulary.relation(other).label];
        pairs.push(relation === other ? `${one} both ways` : `${one} and ${two}`);
      }
    if (leaking.size === 0) continue;
    mirrored += leaking.size;
    const listed = `${pairs.slice(0, 5).join(', ')}${pairs.length > 5 ? ', …' : ''}`;
    notes.push(
      `${leaking.size} of ${held.length / 3} ${name} facts stand in an earlier part the other way round (${listed}), so that they test little; to draw a split without such facts, import one file of all facts`,
    );
  }
  return { mirrored, notes };
}

/** By relation of held-out facts, and relation of earlier ones between the same entities the other way round: which facts. */
function mirrorsOf(
  held: Int32Array,
  earlier: readonly Int32Array[],
  entityCount: number,
): ReadonlyMap<number, ReadonlyMap<number, readonly number[]>> {
  /** The last held-out fact from t to h, and the one before it of the same entities. */
  const last = new Map<number, number>();
  const before = new Int32Array(held.length / 3);
  for (let fact = 0; fact < before.length; fact++) {
    const place = held[3 * fact + 2]! * entityCount + held[3 * fact]!;
    before[fact] = last.get(place) ?? -1;
    last.set(place, fact);
  }
  const found = new Map<number, Map<number, number[]>>();
  for (const part of earlier)
    for (let i = 0; i < part.length; i += 3) {
      const place = part[i]! * entityCount + part[i + 2]!;
      for (let fact = last.get(place) ?? -1; fact >= 0; fact = before[fact]!) {
        const relation = held[3 * fact + 1]!;
        const others = found.get(relation) ?? new Map<number, number[]>();
        found.set(relation, others);
        const facts = others.get(part[i + 1]!) ?? [];
        others.set(part[i + 1]!, facts);
        facts.push(fact);
      }
    }
  return found;
}

/** Pairs of relations that the graph itself declares to be inverse, as texts of both ids. */
function declaredInverses(parts: readonly Int32Array[], vocabulary: Vocabulary): ReadonlySet<string> {
  const ids = new Map<string, number>();
  for (let id = 0; id < vocabulary.relationCount; id += 2) ids.set(vocabulary.relation(id).key, id);
  const [inverseOf, type] = [ids.get(`${owl}inverseOf`), ids.get(rdfType)];
  const declared = new Set<string>();
  if (inverseOf === undefined && type === undefined) return declared;
  for (const part of parts)
    for (let i = 0; i < part.length; i += 3) {
      if (part[i + 1] !== inverseOf && part[i + 1] !== type) continue;
      const one = ids.get(vocabulary.entity(part[i]!).key);
      if (one === undefined) continue;
      const tail = vocabulary.entity(part[i + 2]!).key;
      const other =
        part[i + 1] === inverseOf ? ids.get(tail) : tail === `${owl}SymmetricProperty` ? one : undefined;
      if (other === undefined) continue;
      declared.add(`${one} ${other}`);
      declared.add(`${other} ${one}`);
    }
  return declared;
}

const owl = 'http://www.w3.org/2002/07/owl#';
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
