import type { Logic } from '@fuzzqe/core/logic';
import { type StructureName, structures, type Template } from '@fuzzqe/core/query';
import { concat, slice, type Tensor } from '@fuzzqe/core/tensor';
import { embedTemplate } from '@fuzzqe/model';

/** How many queries of one structure a step has. */
export interface BatchGroup {
  readonly structure: StructureName;
  readonly count: number;
}

/** The rows that one projection node of one group takes on its level. */
interface LevelPart {
  readonly group: number;
  readonly relation: number;
  readonly from: Template;
}

/**
 * Where every anchor and every projection of a mixed batch stands, so that a step runs one projection a level.
 *
 * Anchors stand group by group, slot by slot. A projection's level is 1 above the highest one below it; rows of a
 * level stand group by group in the order in which the template is read.
 */
export interface BatchLayout {
  readonly groups: readonly BatchGroup[];
  /** Queries in the batch, B. */
  readonly queries: number;
  /** Anchors in the batch. */
  readonly anchors: number;
  readonly levels: readonly (readonly LevelPart[])[];
  /** Rows of each level. */
  readonly rows: readonly number[];
}

/** Lays out a batch of `groups`; groups without queries are left out. */
export function createBatchLayout(groups: readonly BatchGroup[]): BatchLayout {
  const filled = groups.filter(({ count }) => count > 0);
  const levels: LevelPart[][] = [];
  filled.forEach(({ structure }, group) => {
    const place = (template: Template): number => {
      switch (template.op) {
        case 'entity':
          return 0;
        case 'not':
          return place(template.operand);
        case 'project': {
          const level = place(template.from);
          levels[level] ??= [];
          levels[level].push({ group, relation: template.relation, from: template.from });
          return level + 1;
        }
        default:
          return Math.max(...template.operands.map(place));
      }
    };
    place(structures[structure].template);
  });
  const countQueries = (part: LevelPart): number => filled[part.group]!.count;
  return {
    groups: filled,
    queries: filled.reduce((total, { count }) => total + count, 0),
    anchors: filled.reduce((total, { structure, count }) => total + structures[structure].anchors * count, 0),
    levels,
    rows: levels.map((parts) => parts.reduce((total, part) => total + countQueries(part), 0)),
  };
}

/** The embeddings of all queries of the batch [B, d], given its anchors [anchors, d] and a projection per level. */
export function embedBatch(
  layout: BatchLayout,
  logic: Logic,
  anchors: Tensor,
  project: (level: number, x: Tensor) => Tensor,
): Tensor {
  const projected = layout.groups.map(() => new Map<number, Tensor>());
  const offsets: number[] = [];
  let offset = 0;
  for (const { structure, count } of layout.groups) {
    offsets.push(offset);
    offset += structures[structure].anchors * count;
  }
  const embed = (group: number, template: Template): Tensor => {
    const { count } = layout.groups[group]!;
    return embedTemplate(logic, template, {
      anchor: (slot) => {
        const start = offsets[group]! + slot * count;
        return slice(anchors, start, start + count);
      },
      project: (relation) => projected[group]!.get(relation)!,
      // As a step takes vectors as they are: to learn through centroids was not tried.
      centroid: undefined,
    });
  };
  layout.levels.forEach((parts, level) => {
    const output = project(level, joined(parts.map((part) => embed(part.group, part.from))));
    let at = 0;
    for (const { group, relation } of parts) {
      const { count } = layout.groups[group]!;
      projected[group]!.set(relation, slice(output, at, at + count));
      at += count;
    }
  });
  return concat(layout.groups.map(({ structure }, group) => embed(group, structures[structure].template)));
}

/** The concatenation of tensors, where neighbours that are neighbouring slices of one tensor become one slice. */
function joined(parts: readonly Tensor[]): Tensor {
  const merged: Tensor[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    const adjacent =
      last?.op === 'slice' &&
      part.op === 'slice' &&
      last.inputs[0] === part.inputs[0] &&
      last.attributes.axis === 0 &&
      part.attributes.axis === 0 &&
      last.attributes.end === part.attributes.start;
    if (adjacent)
      merged[merged.length - 1] = slice(last.inputs[0]!, last.attributes.start, part.attributes.end);
    else merged.push(part);
  }
  return concat(merged);
}
