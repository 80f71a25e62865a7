/**
 * The candidates that a mistyped name most likely stands for, the likeliest first; empty when none is near.
 *
 * Compares without regard to case, by the edits (insert, delete, replace, swap of neighbours) that lead from one to
 * the other; a candidate that begins with the name or contains it counts as nearer than its length suggests.
 * Ranges: at most `limit` names; ties keep the candidates' order.
 */
export function nearestNames(name: string, candidates: Iterable<string>, limit = 3): string[] {
  return nearest(name, candidates, limit).map((match) => match.name);
}

/** A near name and its place among the candidates. */
export interface NearMatch {
  readonly name: string;
  readonly index: number;
}

/** As `nearestNames`, with the place of each name among the candidates. */
export function nearest(name: string, candidates: Iterable<string>, limit = 3): NearMatch[] {
  const wanted = name.trim().toLowerCase();
  if (wanted === '' || limit < 1) return [];
  // A third of the letters wrong is the most that still looks like a typing error.
  const tolerance = Math.min(6, Math.max(1, Math.ceil(wanted.length / 3)));
  const best: (NearMatch & { readonly score: number })[] = [];
  const editDistance = createEditDistance();
  let index = -1;
  for (const candidate of candidates) {
    index++;
    const worst = best.length < limit ? Number.POSITIVE_INFINITY : best[best.length - 1]!.score;
    const score = scoreOf(wanted, candidate.toLowerCase(), Math.min(tolerance, worst), editDistance);
    if (score >= worst || score === Number.POSITIVE_INFINITY) continue;
    const after = best.findIndex((other) => other.score > score);
    best.splice(after < 0 ? best.length : after, 0, { name: candidate, index, score });
    if (best.length > limit) best.pop();
  }
  return best;
}

/**
 * The sentence that offers near names, or `otherwise` when none is near.
 *
 * `did you mean "France"?`, `did you mean "a", "b" or "c"?`
 */
export function didYouMean(name: string, candidates: Iterable<string>, otherwise: string): string {
  const names = nearestNames(name, candidates).map((near) => JSON.stringify(near));
  const last = names.pop();
  if (last === undefined) return otherwise;
  return names.length === 0 ? `did you mean ${last}?` : `did you mean ${names.join(', ')} or ${last}?`;
}

type EditDistance = ReturnType<typeof createEditDistance>;

function scoreOf(wanted: string, candidate: string, tolerance: number, editDistance: EditDistance): number {
  if (candidate === wanted) return 0;
  if (candidate === '') return Number.POSITIVE_INFINITY;
  const lengths = Math.abs(candidate.length - wanted.length);
  const small = lengths / (1000 + lengths);
  if (wanted.length > 1 && candidate.startsWith(wanted)) return 0.5 + small;
  if (wanted.length > 2 && candidate.includes(wanted)) return 1.5 + small;
  const distance =
    lengths > tolerance ? tolerance + 1 : editDistance(wanted, candidate, Math.floor(tolerance));
  if (distance > tolerance) return Number.POSITIVE_INFINITY;
  // People seldom mistype the first letter.
  return candidate[0] === wanted[0] ? distance - 0.25 : distance;
}

/**
 * A function for the optimal string alignment distance, which gives any number above `limit` once it must exceed it.
 *
 * It fills only the band of the table where the distance can stay within the limit, and keeps its rows between calls.
 */
function createEditDistance(): (a: string, b: string, limit: number) => number {
  let twoAbove = new Int32Array(64);
  let above = new Int32Array(64);
  let row = new Int32Array(64);
  return (a, b, limit) => {
    if (b.length >= row.length) {
      twoAbove = new Int32Array(b.length * 2);
      above = new Int32Array(b.length * 2);
      row = new Int32Array(b.length * 2);
    }
    const beyond = limit + 1;
    for (let j = 0; j <= b.length; j++) above[j] = j;
    for (let i = 1; i <= a.length; i++) {
      const first = Math.max(1, i - limit);
      const last = Math.min(b.length, i + limit);
      // The cells beside the band are read by the next rows and would hold numbers of another row.
      row[first - 1] = first === 1 ? i : beyond;
      if (last < b.length) row[last + 1] = beyond;
      let least = row[first - 1]!;
      const letter = a.charCodeAt(i - 1);
      for (let j = first; j <= last; j++) {
        const other = b.charCodeAt(j - 1);
        let edits = Math.min(above[j]!, row[j - 1]!, above[j - 1]! - (letter === other ? 1 : 0)) + 1;
        if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other) {
          edits = Math.min(edits, twoAbove[j - 2]! + 1);
        }
        row[j] = edits;
        if (edits < least) least = edits;
      }
      if (least > limit) return beyond;
      [twoAbove, above, row] = [above, row, twoAbove];
    }
    return above[b.length]!;
  };
}
