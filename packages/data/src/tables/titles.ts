import { provenanceFields } from '@fuzzqe/names';
import type { SaidColumns } from './table-plan.ts';

/** Which field holds what. */
export interface TripleColumns {
  readonly head: number;
  readonly relation: number;
  readonly tail: number;
}

/** What the titles of a table say about its columns. */
export interface TitledColumns {
  readonly head: number;
  readonly tail: number;
  /** Absent where no title names the relations. */
  readonly relation?: number;
  /** Whether the titles cannot be names of a graph: `:START_ID`, `subject_id`, or head, relation and tail together. */
  readonly certain: boolean;
}

/** Titles of heads and tails that go together; the pair to prefer first. */
const pairs: readonly (readonly [head: string, tail: string])[] = [
  ['start_id', 'end_id'],
  ['head', 'tail'],
  ['subject', 'object'],
  ['subject_id', 'object_id'],
  ['head_id', 'tail_id'],
  ['source_id', 'target_id'],
  ['source', 'target'],
  ['node1', 'node2'],
  ['node_1', 'node_2'],
  ['x_index', 'y_index'],
  ['x_id', 'y_id'],
  ['x_name', 'y_name'],
  ['entity1_id', 'entity2_id'],
  ['entity1', 'entity2'],
  ['entity1_name', 'entity2_name'],
  ['head_entity', 'tail_entity'],
  ['from_id', 'to_id'],
  ['from', 'to'],
  ['start', 'end'],
  ['src', 'dst'],
  ['subj', 'obj'],
  ['h', 't'],
  ['s', 'o'],
  ['e1', 'e2'],
  ['arg1', 'arg2'],
];

/** Titles of relations; the one to prefer first. */
const relations: readonly string[] = [
  'relation',
  'predicate',
  'predicate_id',
  'relation_id',
  'metaedge',
  'relationship_type',
  'relation_type',
  'edge_type',
  'edge_label',
  'relationship',
  'property',
  'interaction',
  'rel',
  'pred',
  'edge',
  'label',
  'type',
  'r',
  'p',
];

/** Titles of relations that go with subject and object, before all others: KGX has `relation` besides. */
const predicates: readonly string[] = ['predicate', 'predicate_id', 'pred'];

/** Three titles that name nothing but columns where they stand together. */
const unmistakable: readonly string[] = [
  'head relation tail',
  'subject predicate object',
  'source metaedge target',
];

/**
 * A title without what tools add to it, in small letters: `:START_ID(Person)` is `start_id`, `since:int` is `since`.
 *
 * Source: the header of `neo4j-admin database import`.
 */
export function plainTitle(title: string): string {
  const [name = '', type = ''] = title
    .trim()
    .toLowerCase()
    .replace(/^[#?]+/, '')
    .replace(/\([^()]*\)$/, '')
    .split(/:(?=[^:]*$)/);
  return /^(?:start_id|end_id|type|id|label)$/.test(type) ? type : name === '' ? type : name;
}

/** The columns whose titles are fields of a provenance, except those of the fact. */
export function provenanceColumns(
  titles: readonly string[],
  { head, relation, tail }: { readonly head: number; readonly relation: unknown; readonly tail: number },
): SaidColumns {
  const plain = titles.map(plainTitle);
  return Object.fromEntries(
    provenanceFields.flatMap((field) => {
      const at = plain.findIndex((title, i) => title === field && ![head, relation, tail].includes(i));
      return at < 0 ? [] : [[field, at] as const];
    }),
  );
}

/** What a first line says about the columns; undefined where no two of its fields are titles of heads and tails. */
export function readTitles(fields: readonly string[]): TitledColumns | undefined {
  const plain = fields.map(plainTitle);
  const place = (names: readonly string[], not: readonly number[] = []): number =>
    names
      .map((name) => plain.findIndex((field, i) => field === name && !not.includes(i)))
      .find((i) => i >= 0) ?? -1;
  const pair = pairs.find((names) => names.every((name) => plain.includes(name)));
  // Titles of two families, such as subject and target, are read in pairs of their own kind only where there is one.
  const head = pair === undefined ? place(pairs.map(([name]) => name)) : plain.indexOf(pair[0]);
  const tail = pair === undefined ? place(pairs.map(([, name]) => name)) : plain.indexOf(pair[1]);
  if (head < 0 || tail < 0) return undefined;
  const family = plain[head]!.startsWith('subj') ? predicates : [];
  const relation = place([...family, ...relations], [head, tail]);
  const words = [plain[head], plain[relation], plain[tail]];
  const certain =
    unmistakable.includes(words.join(' ')) || words.some((word) => word !== undefined && /[_\d]/.test(word));
  return relation < 0 ? { head, tail, certain } : { head, relation, tail, certain };
}
