import type { OnnxAttribute } from '../proto/model.ts';
import type { Value } from './value.ts';

/** The attributes of a node, by their names. */
export type Attributes = ReadonlyMap<string, OnnxAttribute>;

/** What a node computes; an input that is left out is undefined. */
export type Kernel = (inputs: readonly (Value | undefined)[], attributes: Attributes) => readonly Value[];

/** An attribute that is a whole number. */
export const integerOf = (attributes: Attributes, name: string, usual: number): number =>
  attributes.get(name)?.i ?? usual;

/** An axis that may be counted from the end. */
export const axisOf = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);
