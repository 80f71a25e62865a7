import type { Vocabulary } from '@fuzzqe/core';

/** Tells keys of entities, and of relations, that differ only by white space: most are one name, typed in two ways. */
export function spacingNotes({ entityCount, relationCount, entity, relation }: Vocabulary): string[] {
  return [
    ...noteOn('entities', entityCount, (i) => entity(i).key),
    ...noteOn('relations', relationCount / 2, (i) => relation(2 * i).key),
  ];
}

function noteOn(kind: string, count: number, keyOf: (place: number) => string): string[] {
  // Few keys of a million have such white space: only their plain forms are kept.
  const spaced = new Map<string, string[]>();
  for (let i = 0; i < count; i++) {
    const key = keyOf(i);
    const plain = withPlainSpaces(key);
    if (plain === key) continue;
    const same = spaced.get(plain);
    if (same === undefined) spaced.set(plain, [key]);
    else same.push(key);
  }
  if (spaced.size === 0) return [];
  for (let i = 0; i < count; i++) {
    const key = keyOf(i);
    // A key with such white space is no plain form.
    spaced.get(key)?.push(key);
  }
  const alike = [...spaced.values()].filter(({ length }) => length > 1);
  const [first] = alike;
  if (first === undefined) return [];
  const names = first.slice(0, 3).map((key) => JSON.stringify(key));
  return [
    `${kind} that differ only by white space: ${alike.length === 1 ? 'one name' : `${alike.length} names`}, such as ${names.join(' and ')}; each spelling is kept as one of its own`,
  ];
}

function withPlainSpaces(key: string): string {
  return key.trim().replace(/\s+/gu, ' ');
}
