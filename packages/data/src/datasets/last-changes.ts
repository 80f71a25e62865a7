import { inverseSuffix } from '@fuzzqe/core';
import type { KeyedChange } from './apply-changes.ts';

/** The last change of each fact, along its relation forwards. */
export function lastChanges(changes: Iterable<KeyedChange>): readonly KeyedChange[] {
  const last = new Map<string, KeyedChange>();
  for (const change of changes) {
    const forwards = forwardChange(change);
    last.set(JSON.stringify([forwards.head, forwards.relation, forwards.tail]), forwards);
  }
  return [...last.values()];
}

function forwardChange(change: KeyedChange): KeyedChange {
  const { does, head, relation, tail } = change;
  if (!relation.endsWith(inverseSuffix)) return change;
  return { does, head: tail, relation: relation.slice(0, -inverseSuffix.length), tail: head };
}
