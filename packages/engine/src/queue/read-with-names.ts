import { FuzzError, type NameKind, type Steps, type Vocabulary } from '@fuzzqe/core';
import { estimateSearchCost } from '../cost/estimate-cost.ts';
import type { CallLimits } from '../ranker/call-limits.ts';
import { inTurns } from './in-turns.ts';

/** How something with names is read. */
export interface ReadOptions extends CallLimits {
  /**
   * Whether the error about a name that there is not offers near ones, asked when it is known, with what it costs to look for them in
   * milliseconds of one core. Default: it does, within `costLimit`.
   */
  readonly near?: (cost: number) => boolean;
  /** The most that looking for near names may cost, in milliseconds of one core. Default: any. */
  readonly costLimit?: number;
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
  { costLimit = Number.POSITIVE_INFINITY, near = (cost) => cost <= costLimit, ...limits }: ReadOptions = {},
): Promise<T> {
  return inTurns(reading(vocabulary, read, near), limits);
}

function* reading<T>(
  vocabulary: Vocabulary,
  read: (vocabulary: Vocabulary) => T,
  near: (cost: number) => boolean,
): Steps<T> {
  yield* vocabulary.prepareNames();
  const names = notingNames(vocabulary);
  names.missed = undefined;
  try {
    return read(names.vocabulary);
  } catch (error) {
    const { missed } = names;
    if (missed === undefined || !(error instanceof FuzzError)) throw error;
    const { kind, name } = missed;
    const count = kind === 'entity' ? vocabulary.entityCount : vocabulary.relationCount / 2;
    if (!near(estimateSearchCost(count))) throw error;
    yield;
    const found = yield* vocabulary.nearNames(kind, name);
    return read(
      vocabulary.offering((...asked) => (asked[0] === kind && asked[1] === name ? found : undefined)),
    );
  }
}

/** A vocabulary, and the first name that was looked for in vain since it was last set to none. */
interface NotingNames {
  readonly vocabulary: Vocabulary;
  missed: { readonly kind: NameKind; readonly name: string } | undefined;
}

/** One for each vocabulary: what reads does so at once, so that none comes between. */
const noting = new WeakMap<Vocabulary, NotingNames>();

function notingNames(vocabulary: Vocabulary): NotingNames {
  const known = noting.get(vocabulary);
  if (known !== undefined) return known;
  const made: NotingNames = {
    vocabulary: vocabulary.offering((kind, name) => {
      made.missed ??= { kind, name };
      return undefined;
    }),
    missed: undefined,
  };
  noting.set(vocabulary, made);
  return made;
}
