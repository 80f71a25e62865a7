/** A question that is kept under a name. */
export interface SavedQuestion {
  readonly name: string;
  /** Its address from the `#` on, which has names in place of ids, and so outlives a version of the graph. */
  readonly hash: string;
}

/** Whether a value is a saved question. */
export function isSavedQuestion(value: unknown): value is SavedQuestion {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    'hash' in value &&
    typeof value.name === 'string' &&
    typeof value.hash === 'string' &&
    value.hash.startsWith('#')
  );
}

/** The list with a question at its front. */
export function saveQuestion(
  list: readonly SavedQuestion[],
  { name, hash }: SavedQuestion,
): readonly SavedQuestion[] {
  return [{ name: freeName(list, name), hash }, ...list];
}

/** The list with another name of one question; without a name it stays as it is. */
export function renameQuestion(
  list: readonly SavedQuestion[],
  question: SavedQuestion,
  name: string,
): readonly SavedQuestion[] {
  const at = indexOf(list, question);
  if (at < 0 || name.trim() === '') return list;
  return list.with(at, { ...question, name: freeName(list.toSpliced(at, 1), name) });
}

/** The list without one question. */
export function deleteQuestion(
  list: readonly SavedQuestion[],
  question: SavedQuestion,
): readonly SavedQuestion[] {
  const at = indexOf(list, question);
  return at < 0 ? list : list.toSpliced(at, 1);
}

/** Names tell questions apart, in lists that were read anew as well. */
function indexOf(list: readonly SavedQuestion[], { name }: SavedQuestion): number {
  return list.findIndex((each) => each.name === name);
}

/** A name that no question has yet: `borders (2)`. */
function freeName(list: readonly SavedQuestion[], wanted: string): string {
  const name = wanted.trim();
  const isTaken = (other: string): boolean => list.some((each) => each.name === other);
  if (!isTaken(name)) return name;
  let count = 2;
  while (isTaken(`${name} (${count})`)) count += 1;
  return `${name} (${count})`;
}
