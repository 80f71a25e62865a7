import { type AdjacencyIndex, keptByIndex } from '@fuzzqe/core';
import { createPathScratch, edgesPerLevel, type PathScratch } from './expand-path.ts';

/** How many confidences of an entity are joined. */
export const mostConfidences = 6;

/** What the rules of one link are gathered in. A graph has one, which the next link uses again. */
export interface RuleScratch {
  readonly paths: PathScratch;
  /** [E]: 0 of an entity that no rule named, s + 1 of the entity in slot s, −1 of an entity that is left out. */
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
export const ruleScratchOf: (index: AdjacencyIndex) => RuleScratch = keptByIndex(({ headOffsets }) => ({
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

/** Notes that a rule names an entity, unless the entity is left out or `rule` named it last; constant rules are −1. */
export function nameEntity(scratch: RuleScratch, entity: number, rule: number, confidence: number): void {
  const marked = scratch.mark[entity]!;
  if (marked < 0) return;
  let slot = marked - 1;
  if (slot < 0) {
    slot = scratch.count++;
    if (slot === scratch.entities.length) grow(scratch);
    scratch.mark[entity] = slot + 1;
    scratch.entities[slot] = entity;
    scratch.counts[slot] = 0;
  } else if (rule >= 0 && scratch.lastRules[slot] === rule) return;
  scratch.lastRules[slot] = rule;
  const { confidences, counts } = scratch;
  const first = slot * mostConfidences;
  let at = first + counts[slot]!;
  if (counts[slot]! < mostConfidences) counts[slot]!++;
  else if (confidences[--at]! >= confidence) return;
  for (; at > first && confidences[at - 1]! < confidence; at--) confidences[at] = confidences[at - 1]!;
  confidences[at] = confidence;
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
