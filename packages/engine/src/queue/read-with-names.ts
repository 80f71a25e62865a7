import { FuzzError, type NameKind, type Steps, type Vocabulary } from '@fuzzqe/core';
import type { CallLimits } from '../ranker/call-limits.ts';
import { inTurns } from './in-turns.ts';

/** How something with names is read. */
export interface ReadOptions extends CallLimits {
  /** Whether the error about a name that there is not offers near ones, asked when it is known. Default: it does. */
  readonly near?: () => boolean;
}

/**
 * Reads something that names entities and relations, in turns of the event loop: where it has a name that there is not, its error
 * offers near ones, and to find these goes through all names.
 *
 * @param read reads with the vocabulary that it is given, a second time where the first found no such name.
 * @throws FuzzError `interrupted` or `deadline`: the limits. What `read` throws.
 */
export function readWithNames<T>(
  vocabulary: Vocabulary,
  read: (vocabulary: Vocabulary) => T,
  { near = () => true, ...limits }: ReadOptions = {},
): Promise<T> {
  return inTurns(reading(vocabulary, read, near), limits);
}

function* reading<T>(
  vocabulary: Vocabulary,
  read: (vocabulary: Vocabulary) => T,
  near: () => boolean,
): Steps<T> {
  let missed: { readonly kind: NameKind; readonly name: string } | undefined;
  const noting = vocabulary.offering((kind, name) => {
    missed ??= { kind, name };
    return undefined;
  });
  try {
    return read(noting);
  } catch (error) {
    if (missed === undefined || !(error instanceof FuzzError) || !near()) throw error;
    const { kind, name } = missed;
    yield;
    const found = yield* vocabulary.nearNames(kind, name);
    return read(
      vocabulary.offering((...asked) => (asked[0] === kind && asked[1] === name ? found : undefined)),
    );
  }
}
