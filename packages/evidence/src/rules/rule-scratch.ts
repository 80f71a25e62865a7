import { type AdjacencyIndex, keptBy } from '@fuzzqe/core';
import { createPathScratch, edgesPerLevel, type PathScratch } from './expand-path.ts';

/** How many confidences of an entity are joined. */
export const mostConfidences = 6;

/** What the rules of one link are gathered in. A graph has one, which the next link uses again. */
export interface RuleScratch {
  readonly paths: PathScratch;
  /**
   * [E]: 0 of an entity that no rule named, s + 1 of the entity in slot s, −2 − s where the slot has six confidences of path rules,
   * −1 of an entity that is left out.
   */
  readonly mark: Int32Array;
  /** How many slots are used. */
  count: number;
  /** The entity of each slot. */
  entities: Int32Array;
  /** The last path rule that named each slot. */
  lastRules: Int32Array;
  /** How many confidences each slot has. */
  counts: Uint8Array;
  /** The highest confidences of slot s, descending, from 6 s on. */
  confidences: Float64Array;
  /** Numbers of attributes that a head has. */
  attributes: Int32Array;
}

/** The scratch of a graph. */
export const ruleScratchOf: (index: AdjacencyIndex) => RuleScratch = keptBy(({ headOffsets }) => ({
  paths: createPathScratch(),
  mark: new Int32Array(headOffsets.length - 1),
  attributes: new Int32Array(),
  ...slots(edgesPerLevel),
}));

/** Room for that many numbers of attributes. */
export function reserveAttributes(scratch: RuleScratch, attributes: number): Int32Array {
  if (scratch.attributes.length < attributes) scratch.attributes = new Int32Array(2 * attributes);
  return scratch.attributes;
}

/** Marks an entity so that no rule names it. */
export const leftOut = -1;

/** The slot of a marked entity. */
export function slotOf(mark: number): number {
  return mark > 0 ? mark - 1 : -2 - mark;
}

/** Notes that a path rule, which comes in the order of confidence, names the ends of its paths, each once. */
export function nameEnds(
  scratch: RuleScratch,
  rule: number,
  first: number,
  last: number,
  confidence: number,
): void {
  const { mark, paths } = scratch;
  const ends = paths.entities;
  let { lastRules, counts, confidences } = scratch;
  for (let end = first; end < last; end++) {
    const entity = ends[end]!;
    const marked = mark[entity]!;
    // Entities that are left out, and those that six better rules named.
    if (marked < 0) continue;
    let slot = marked - 1;
    if (slot < 0) {
      slot = takeSlot(scratch, entity);
      ({ lastRules, counts, confidences } = scratch);
    } else if (lastRules[slot] === rule) continue;
    lastRules[slot] = rule;
    const count = counts[slot]!;
    confidences[mostConfidences * slot + count] = confidence;
    counts[slot] = count + 1;
    if (count + 1 === mostConfidences) mark[entity] = -2 - slot;
  }
}

/** Notes that a constant rule, of whatever confidence, names an entity. */
export function nameConstant(scratch: RuleScratch, entity: number, confidence: number): void {
  const marked = scratch.mark[entity]!;
  if (marked === leftOut) return;
  const slot = marked === 0 ? takeSlot(scratch, entity) : slotOf(marked);
  const { confidences, counts } = scratch;
  const first = mostConfidences * slot;
  let at = first + counts[slot]!;
  if (counts[slot]! < mostConfidences) counts[slot]!++;
  else if (confidences[--at]! >= confidence) return;
  for (; at > first && confidences[at - 1]! < confidence; at--) confidences[at] = confidences[at - 1]!;
  confidences[at] = confidence;
}

function takeSlot(scratch: RuleScratch, entity: number): number {
  const slot = scratch.count++;
  if (slot === scratch.entities.length) grow(scratch);
  scratch.mark[entity] = slot + 1;
  scratch.entities[slot] = entity;
  scratch.counts[slot] = 0;
  scratch.lastRules[slot] = -1;
  return slot;
}

type Slots = Pick<RuleScratch, 'count' | 'entities' | 'lastRules' | 'counts' | 'confidences'>;

function slots(length: number): Slots {
  return {
    count: 0,
    entities: new Int32Array(length),
    lastRules: new Int32Array(length),
    counts: new Uint8Array(length),
    confidences: new Float64Array(length * mostConfidences),
  };
}

function grow(scratch: RuleScratch): void {
  const { count, entities, lastRules, counts, confidences } = scratch;
  const larger = slots(2 * entities.length);
  larger.entities.set(entities);
  larger.lastRules.set(lastRules);
  larger.counts.set(counts);
  larger.confidences.set(confidences);
  Object.assign(scratch, larger, { count });
}
