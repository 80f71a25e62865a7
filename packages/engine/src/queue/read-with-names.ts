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
  /** Whether names are written by their labels afterwards, which are then indexed in the same turns. Default false. */
  readonly writesNames?: boolean;
}

/**
 * Reads something that names entities and relations, in turns of the event loop: the first name that is no key has all labels indexed,
 * and where there is no such name, the error offers near ones, which are looked for among all names.
 *
 * @param read reads with the vocabulary that it is given, and again where a name was no key or none at all.
 * @throws FuzzError `interrupted` or `deadline`: the limits. What `read` throws.
 */
export function readWithNames<T>(
  vocabulary: Vocabulary,
  read: (vocabulary: Vocabulary) => T,
  {
    costLimit = Number.POSITIVE_INFINITY,
    near = (cost) => cost <= costLimit,
    writesNames = false,
    ...limits
  }: ReadOptions = {},
): Promise<T> {
  return inTurns(reading(vocabulary, read, near, writesNames), limits);
}

function* reading<T>(
  vocabulary: Vocabulary,
  read: (vocabulary: Vocabulary) => T,
  near: (cost: number) => boolean,
  writesNames: boolean,
): Steps<T> {
  if (writesNames) yield* vocabulary.prepareNames();
  const names = notingNames(vocabulary);
  let outcome = attempt(read, names);
  while (outcome.unindexed !== undefined) {
    yield* outcome.unindexed;
    outcome = attempt(read, names);
  }
  if ('value' in outcome) return outcome.value;
  const { error, missed } = outcome;
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

/** What reading once came to. */
type Outcome<T> = Noted & ({ readonly value: T } | { readonly error: unknown });

/** What came of looking for names. */
interface Noted {
  /** The first name that there is not. */
  missed?: { readonly kind: NameKind; readonly name: string };
  /** What is left to index before a name can be looked for: what was read without is void. */
  unindexed?: Steps<void>;
}

/** A vocabulary that does nothing long, and what came of it. */
interface NotingNames {
  readonly vocabulary: Vocabulary;
  noted: Noted;
}

function attempt<T>(read: (vocabulary: Vocabulary) => T, names: NotingNames): Outcome<T> {
  names.noted = {};
  try {
    return { value: read(names.vocabulary), ...names.noted };
  } catch (error) {
    return { error, ...names.noted };
  }
}

/** One for each vocabulary: what reads does so at once, so that none comes between. */
const noting = new WeakMap<Vocabulary, NotingNames>();

function notingNames(vocabulary: Vocabulary): NotingNames {
  const known = noting.get(vocabulary);
  if (known !== undefined) return known;
  const offering = vocabulary.offering((kind, name) => {
    made.noted.missed ??= { kind, name };
    return undefined;
  });
  const indexed =
    <T>(kind: NameKind, find: (name: string) => T) =>
    (name: string): T => {
      const steps = vocabulary.prepareName(kind, name);
      if (steps.next().done !== true) {
        made.noted.unindexed ??= steps;
        throw new Error(`${kind}: expected indexed labels, got ones that are not yet`);
      }
      return find(name);
    };
  const made: NotingNames = {
    vocabulary: {
      ...offering,
      findEntity: indexed('entity', offering.findEntity),
      findRelation: indexed('relation', offering.findRelation),
      hasRelation: indexed('relation', offering.hasRelation),
    },
    noted: {},
  };
  noting.set(vocabulary, made);
  return made;
}
