/** Where text is kept: a part of the browser's Storage, each of whose functions may throw. */
export type ListStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** A list that other tabs may change as well. */
export interface KeptList<T> {
  /** As it is kept now. */
  read(): readonly T[];
  /** Changes what is kept now, and returns it. */
  change(edit: (list: readonly T[]) => readonly T[]): readonly T[];
}

/** Keeps a list as far as the storage does: where that is full or forbidden, it lasts as long as the page. What is no item is left out. */
export function keepList<T>(
  storage: () => ListStorage,
  place: string,
  isItem: (value: unknown) => value is T,
): KeptList<T> {
  let own: readonly T[] = [];
  let isKept = true;
  const read = (): readonly T[] => {
    if (!isKept) return own;
    try {
      own = itemsOf(storage().getItem(place), isItem);
    } catch {
      isKept = false;
    }
    return own;
  };
  return {
    read,
    change(edit) {
      own = edit(read());
      try {
        storage().setItem(place, JSON.stringify(own));
        isKept = true;
      } catch {
        isKept = false;
      }
      return own;
    },
  };
}

/** Another version of the page may have written the text, or another page. */
function itemsOf<T>(text: string | null, isItem: (value: unknown) => value is T): readonly T[] {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  return Array.isArray(value) ? value.filter(isItem) : [];
}
