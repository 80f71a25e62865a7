import type { Pattern } from '@fuzzqe/core/query';

/** A pattern of one answer variable with its answers. */
export interface AnsweredPattern {
  /** The name of its type. */
  readonly type: string;
  readonly pattern: Pattern;
  /** The answers on the smaller graph, ascending. */
  readonly easy: Int32Array;
  /** The answers on the larger graph that are not easy, ascending. */
  readonly hard: Int32Array;
}

/** The patterns of each type, in the order of the types. */
export function byType(
  patterns: readonly AnsweredPattern[],
): ReadonlyMap<string, readonly AnsweredPattern[]> {
  const types = new Map<string, AnsweredPattern[]>();
  for (const each of patterns) {
    const known = types.get(each.type);
    if (known === undefined) types.set(each.type, [each]);
    else known.push(each);
  }
  return types;
}

/** At most `count` patterns of each type, evenly spread over the patterns of the type. */
export function somePatterns(patterns: readonly AnsweredPattern[], count: number): AnsweredPattern[] {
  return [...byType(patterns).values()].flatMap((all) =>
    all.length <= count
      ? all
      : Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)]!),
  );
}
