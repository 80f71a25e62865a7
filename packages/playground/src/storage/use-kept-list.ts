import { useEffect, useMemo, useState } from 'preact/hooks';
import { keepList } from './keep-list.ts';

/** A list that this browser keeps for pages below this address, whichever tab changes it. */
export function useKeptList<T>(
  name: string,
  isItem: (value: unknown) => value is T,
): readonly [readonly T[], (edit: (list: readonly T[]) => readonly T[]) => void] {
  const [kind, ...of] = name.split(':');
  const place = [kind, new URL('.', location.href).pathname, ...of].join(':');
  const kept = useMemo(() => keepList(() => localStorage, place, isItem), [place, isItem]);
  const [list, setList] = useState(() => kept.read());
  useEffect(() => {
    setList(kept.read());
    // Told of what other tabs write; without a key, of everything.
    const onStorage = ({ key }: StorageEvent): void => {
      if (key === place || key === null) setList(kept.read());
    };
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }, [kept, place]);
  return [list, (edit) => setList(kept.change(edit))];
}
