import { finish, namesOfStep, type Steps, sharedSteps } from '../steps.ts';
import { createDictionary, type Dictionary } from './dictionary.ts';
import { createEditDistanceIndex, type EditDistanceIndex } from './edit-distance-index.ts';

/**
 * The candidates that a mistyped name most likely stands for, the likeliest first; empty when none is near.
 *
 * Counts the edits (insert, delete, replace, swap of neighbours) from one name to the other. Case, accents, and space or underscore make no difference.
 * A candidate that begins with the name or contains it counts as nearer than its length suggests.
 * Ranges: at most `limit` names; ties keep the candidates' order.
 */
export function nearestNames(name: string, candidates: Iterable<string>, limit = 3): string[] {
  return finish(createNearestNames([...candidates]).nearest(name, limit)).map((match) => match.name);
}

/** A near name and its place among the candidates. */
export interface NearMatch {
  readonly name: string;
  readonly index: number;
}

/** Finds names among candidates that do not change. */
export interface NearestNames {
  /** As `nearestNames`, with the place of each name among the candidates, and among those only whose place is accepted. */
  nearest(name: string, limit?: number, accepts?: (index: number) => boolean): Steps<NearMatch[]>;
}

/**
 * Prepares candidates for many questions; `folded` are they as `foldName` gives them and `sorted` gives these in order, where
 * that is known.
 */
export function createNearestNames(
  candidates: readonly string[],
  folded: readonly string[] = candidates.map(foldName),
  sorted: () => Steps<Dictionary> = sharedSteps(() => createDictionary(folded)),
): NearestNames {
  let edited: EditDistanceIndex | undefined;
  return {
    *nearest(name, limit = 3, accepts = () => true) {
      const wanted = foldName(name.trim());
      if (wanted === '' || limit < 1) return [];
      const best = createBest(limit);
      for (const [index, candidate] of folded.entries()) {
        if (index % namesOfStep === 0) yield;
        const score = containedScore(wanted, candidate);
        if (score !== undefined && accepts(index)) best.offer(score, index);
      }
      // A third of the letters wrong is the most that still looks like a typing error.
      const tolerance = Math.min(6, Math.max(1, Math.ceil(wanted.length / 3)));
      // No edited name scores less.
      if (best.worst() >= 0.75) {
        edited ??= createEditDistanceIndex(folded, yield* sorted());
        const limit = (): number => Math.floor(Math.min(tolerance, best.worst() + 0.25));
        yield* edited.within(wanted, tolerance, limit, (index, distance) => {
          const candidate = folded[index]!;
          if (containedScore(wanted, candidate) !== undefined || !accepts(index)) return;
          // People seldom mistype the first letter.
          best.offer(candidate.charCodeAt(0) === wanted.charCodeAt(0) ? distance - 0.25 : distance, index);
        });
      }
      return best.indices().map((index) => ({ name: candidates[index]!, index }));
    },
  };
}

/** A name as names are compared: in lower case, without accents, with `ss` for ß and the like, and with spaces for underscores. */
export function foldName(name: string): string {
  const apart = name.toLowerCase().normalize('NFD');
  return apart.replace(/[\u0300-\u036fßæœøłđðþı_]/g, (letter) => plainLetters[letter] ?? '').normalize();
}

/** What people write for a letter that is no other letter with an accent. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', _: ' ' },
};

/**
 * The sentence that offers near names, or `otherwise` when none is near.
 *
 * `did you mean "France"?`, `did you mean "a", "b" or "c"?`
 */
export function didYouMean(name: string, candidates: Iterable<string>, otherwise: string): string {
  return offerNames(nearestNames(name, candidates), otherwise);
}

/** The sentence that offers these names, or `otherwise` where there are none. */
export function offerNames(names: readonly string[], otherwise: string): string {
  const quoted = names.map((near) => JSON.stringify(near));
  const last = quoted.pop();
  if (last === undefined) return otherwise;
  return quoted.length === 0 ? `did you mean ${last}?` : `did you mean ${quoted.join(', ')} or ${last}?`;
}

/** The score of a candidate that is the name, begins with it or contains it. */
function containedScore(wanted: string, candidate: string): number | undefined {
  const more = candidate.length - wanted.length;
  if (more < 0) return undefined;
  if (more === 0) return candidate === wanted ? 0 : undefined;
  const small = more / (1000 + more);
  if (wanted.length > 1 && candidate.startsWith(wanted)) return 0.5 + small;
  return wanted.length > 2 && candidate.includes(wanted) ? 1.5 + small : undefined;
}

/** The candidates with the least scores so far; among equals, the earliest. */
interface Best {
  offer(score: number, index: number): void;
  /** The score that is to be beaten or met. */
  worst(): number;
  indices(): number[];
}

function createBest(limit: number): Best {
  const best: { readonly score: number; readonly index: number }[] = [];
  return {
    offer(score, index) {
      const after = best.findIndex(
        (other) => other.score > score || (other.score === score && other.index > index),
      );
      if (after < 0 && best.length === limit) return;
      best.splice(after < 0 ? best.length : after, 0, { score, index });
      if (best.length > limit) best.pop();
    },
    worst: () => (best.length < limit ? Number.POSITIVE_INFINITY : best[best.length - 1]!.score),
    indices: () => best.map(({ index }) => index),
  };
}
