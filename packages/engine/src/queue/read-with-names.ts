import { FuzzError, type NameKind, type Steps, type Vocabulary } from '@fuzzqe/core';
import { estimateSearchCost } from '../cost/estimate-cost.ts';
import { inTurns } from './in-turns.ts';
import type { SearchLimits } from './search-names.ts';

/**
 * How something with names is read. `costLimit` and `onCost` are of looking for names near one that there is not: where it costs more, or
 * `onCost` refuses it, the error about the name offers none.
 */
export interface ReadOptions extends SearchLimits {
  /** Whether names are written by their labels afterwards, which are then indexed in the same turns. Default false. */
  readonly writesNames?: boolean;
}

/**
 * Reads something that names entities and relations, in turns of the event loop: the first name that is no key has all labels indexed,
 * and where there is no such name, the error offers near ones, which are looked for among all names.
 *
 * @param read reads with the vocabulary that it is given, and again where a name was no key or none at all.
 * @param complete does with it what needs no names, in a piece of its own: to estimate what a long query costs takes as long as to read it.
 * @throws FuzzError `interrupted` or `deadline`: the limits. What `read` and `complete` throw.
 */
export function readWithNames<T, Complete = T>(
  vocabulary: Vocabulary,
  read: (vocabulary: Vocabulary) => T,
  options: ReadOptions,
  complete: (value: T) => Complete,
): Promise<Complete>;
export function readWithNames<T>(
  vocabulary: Vocabulary,
  read: (vocabulary: Vocabulary) => T,
  options?: ReadOptions,
): Promise<T>;
export function readWithNames<T>(
  vocabulary: Vocabulary,
  read: (vocabulary: Vocabulary) => T,
  options: ReadOptions = unlimited,
  complete?: (value: T) => unknown,
): Promise<unknown> {
  const steps = reading(vocabulary, read, options);
  return inTurns(complete === undefined ? steps : completing(steps, complete), options);
}

function* completing<T>(steps: Steps<T>, complete: (value: T) => unknown): Steps<unknown> {
  const value = yield* steps;
  yield;
  return complete(value);
}

const unlimited: ReadOptions = { costLimit: Number.POSITIVE_INFINITY, onCost: () => undefined };

function* reading<T>(
  vocabulary: Vocabulary,
  read: (vocabulary: Vocabulary) => T,
  options: ReadOptions,
): Steps<T> {
  if (options.writesNames === true) yield* vocabulary.prepareNames();
  for (;;) {
    const names = notingNames(vocabulary);
    try {
      const value = read(names.vocabulary);
      if (names.unindexed === undefined) return value;
    } catch (error) {
      const { missed, unindexed } = names;
      if (unindexed === undefined) {
        if (missed === undefined || !(error instanceof FuzzError)) throw error;
        const { kind, name } = missed;
        const count =
          kind === 'entity'
            ? vocabulary.entityCount + vocabulary.aliases.count
            : vocabulary.relationCount / 2;
        if (!mayLook(estimateSearchCost(count), options)) throw error;
        yield;
        const found = yield* vocabulary.nearNames(kind, name);
        return read(
          vocabulary.offering((...asked) => (asked[0] === kind && asked[1] === name ? found : undefined)),
        );
      }
    }
    yield* names.unindexed!;
  }
}

/** Whether names may be looked for, of which anyone who counts costs hears. */
function mayLook(cost: number, { costLimit, onCost }: ReadOptions): boolean {
  if (cost > costLimit) return false;
  try {
    onCost(cost);
    return true;
  } catch (error) {
    if (error instanceof FuzzError) return false;
    throw error;
  }
}

/** A vocabulary that neither indexes labels nor looks for near names, and what it was asked in vain. */
interface NotingNames {
  readonly vocabulary: Vocabulary;
  /** The first name that there is not. */
  missed?: { readonly kind: NameKind; readonly name: string } | undefined;
  /** What the first name waits for that is no key: what was read without it is void. */
  unindexed?: Steps<unknown> | undefined;
}

/** One for each vocabulary, which takes microseconds to make: what reads does so at once, so that none comes between. */
const noting = new WeakMap<Vocabulary, NotingNames>();

/** Those of a vocabulary, who were asked nothing yet. */
function notingNames(vocabulary: Vocabulary): NotingNames {
  const known = noting.get(vocabulary);
  if (known !== undefined) {
    known.missed = undefined;
    known.unindexed = undefined;
    return known;
  }
  const names: NotingNames = {
    vocabulary: vocabulary.offering(
      (kind, name) => {
        names.missed ??= { kind, name };
        return undefined;
      },
      (steps) => {
        const { done, value } = steps.next();
        if (done === true) return value;
        names.unindexed ??= steps;
        throw new Error('expected indexed labels');
      },
    ),
  };
  noting.set(vocabulary, names);
  return names;
}
