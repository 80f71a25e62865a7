import type { EntityId, RelationId } from '@fuzzqe/core';
import type { Condition } from '@fuzzqe/core/query';

/** A place of the canvas, from its left top to its right bottom: each in [0, 1]. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A variable or an entity of a drawing. */
export interface DrawnNode extends Place {
  readonly id: number;
  /** An entity, or the name of a variable without its question mark. */
  readonly is: { readonly entity: EntityId } | { readonly variable: string };
}

/** A condition on two nodes, drawn as an arrow. */
export interface DrawnLink {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  /** A relation of the data, followed from head to tail, an even id; `same` for =; nothing while it is to be chosen. */
  readonly relation?: RelationId | 'same';
  readonly isNegated: boolean;
}

/** A pattern as it is drawn. The ids of nodes and links stay as the rest changes, and no two of them are the same. */
export interface Drawing {
  readonly nodes: readonly DrawnNode[];
  readonly links: readonly DrawnLink[];
  /** The ids of the answer variables, in the order of the columns. */
  readonly answers: readonly number[];
  /** Conditions that are no arrows, such as `or`; their variables are ids of nodes. */
  readonly others: readonly Condition[];
}

/** What a canvas begins with: two answer variables that are to be linked. */
export const startDrawing: Drawing = {
  nodes: [
    { id: 1, x: 0.2, y: 0.5, is: { variable: 'x' } },
    { id: 2, x: 0.8, y: 0.5, is: { variable: 'y' } },
  ],
  links: [],
  answers: [1, 2],
  others: [],
};

/** The node of an id. */
export function nodeOf({ nodes }: Pick<Drawing, 'nodes'>, id: number | undefined): DrawnNode | undefined {
  return nodes.find((node) => node.id === id);
}

/** The link of an id. */
export function linkOf({ links }: Drawing, id: number | undefined): DrawnLink | undefined {
  return links.find((link) => link.id === id);
}

/** The largest id of a drawing: that of what was added last. */
export function lastId({ nodes, links }: Pick<Drawing, 'nodes' | 'links'>): number {
  return [...nodes, ...links].reduce((most, { id }) => Math.max(most, id), 0);
}

/** Places on an ellipse, so that no arrow between two of them leads through a third. */
const places: readonly Place[] = Array.from({ length: 24 }, (_, i) => {
  const angle = Math.PI * (1 + i / 12);
  return { x: 0.5 + 0.36 * Math.cos(angle), y: 0.5 + 0.34 * Math.sin(angle) };
});

/** The place that is farthest from all nodes. */
export function freePlace(nodes: readonly Place[]): Place {
  const distance = (place: Place): number =>
    nodes.reduce((least, { x, y }) => Math.min(least, Math.hypot(1.5 * (x - place.x), y - place.y)), 2);
  return places.reduce((best, place) => (distance(place) > distance(best) + 1e-9 ? place : best));
}
