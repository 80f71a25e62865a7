/** A quarter of a GiB of scores. */
const scoresAtOnce = 2 ** 26;

/**
 * How many queries are scored at once: 128, and fewer where their scores of all entities would fill the memory.
 *
 * The last ones are filled up, so that a score depends on its query alone.
 */
export function queriesAtOnce(entities: number): number {
  let queries = 128;
  while (queries > 8 && queries * entities > scoresAtOnce) queries /= 2;
  return queries;
}
