import { type Desk, readDesk, writeDesk } from './desk.ts';

/** Where text is kept: a part of the browser's Storage, each of whose functions may throw. */
export type DeskStorage = Pick<Storage, 'getItem' | 'setItem'>;

/** A desk that other tabs may change as well. */
export interface KeptDesk {
  /** As it is kept now. */
  read(): Desk;
  /** Changes what is kept now, and returns it. */
  change(edit: (desk: Desk) => Desk): Desk;
}

/** Keeps a desk as far as the storage does: where that is full or forbidden, verdicts last as long as the page. */
export function keepDesk(storage: () => DeskStorage, place: string): KeptDesk {
  let own: Desk = [];
  let isKept = true;
  const read = (): Desk => {
    if (!isKept) return own;
    try {
      own = readDesk(storage().getItem(place));
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
        storage().setItem(place, writeDesk(own));
        isKept = true;
      } catch {
        isKept = false;
      }
      return own;
    },
  };
}
