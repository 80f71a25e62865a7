/** A form that an answer can have. */
export interface OfferedType {
  readonly mediaType: string;
  /** Other names under which clients ask for it: they count where they are named, and in no range. */
  readonly aliases?: readonly string[];
}

/**
 * What a client prefers of what is offered, by its header `Accept` (RFC 9110, 12.5.1): the most specific range that a type is in gives
 * its weight, the highest weight wins, and 0 excludes. Of equal weights, what is named goes before what is in a range of many,
 * then what is offered first. Other parameters are passed over. Undefined where there is no header, or nothing offered is acceptable.
 *
 * Not hono's `accepts`, which takes no notice of the range of all types, and whose reader is more than a Worker has room for.
 */
export function negotiateType<T extends OfferedType>(accept = '', offered: readonly T[]): T | undefined {
  let best: T | undefined;
  let highest = 0;
  for (const offer of offered) {
    const preference = preferenceOf(offer, accept.toLowerCase());
    if (preference > highest) [best, highest] = [offer, preference];
  }
  return best;
}

/** By its weight, which has three digits at most, then by how exactly it is named; 0 for what is not acceptable. */
function preferenceOf(offer: OfferedType, accept: string): number {
  let [nearest, weight] = [0, 0];
  for (const range of accept.split(',')) {
    const nearness = nearnessOf(range.split(';')[0]!.trim(), offer);
    // A weight that cannot be read excludes as 0 does.
    const own = Math.min(Number(/;\s*q=([^;]*)/.exec(range)?.[1] ?? 1) || 0, 1);
    if (nearness > nearest || (nearness === nearest && own > weight)) [nearest, weight] = [nearness, own];
  }
  // However it is named, it is.
  return nearest && weight && weight + Math.min(nearest, 3) / 1e4;
}

/** How exactly a range tells of a type: 0 where the type is not in it, 3 and more where it is named. */
function nearnessOf(range: string, { mediaType, aliases = [] }: OfferedType): number {
  if (range === mediaType) return 4;
  if (aliases.includes(range)) return 3;
  if (range === mediaType.replace(/\/.*/, '/*')) return 2;
  // Some clients write the second.
  return range === '*/*' || range === '*' ? 1 : 0;
}
