/** Small texts, which are not empty, and files under keys, in a place that machines share. */
export interface SweepStore {
  /** For people, without secrets. */
  readonly name: string;
  /** The text of a key; undefined where there is none. */
  read(key: string, patience?: StorePatience): Promise<StoredText | undefined>;
  /** Makes a key that is not there, at once with its text; gives false where it is. Of many that ask at once one is told true. */
  create(key: string, text: string, patience?: StorePatience): Promise<boolean>;
  /** Writes a key, whether it is there or not. Readers see the text before or all of the new. */
  write(key: string, text: string, patience?: StorePatience): Promise<void>;
  /** The keys that begin with a text, in their order. */
  list(prefix: string, patience?: StorePatience): Promise<readonly string[]>;
  /** Removes a key; nothing where there is none. */
  remove(key: string, patience?: StorePatience): Promise<void>;
  /** Copies a file there, of any size, whole or not at all. */
  upload(key: string, path: string, patience?: StorePatience): Promise<void>;
  /** Copies a file from there; gives false where there is none. */
  download(key: string, path: string, patience?: StorePatience): Promise<boolean>;
  /** @throws FuzzError `runtime`: the place makes over what is there where it should be told so, so that nothing can be claimed. */
  expectExclusive(patience?: StorePatience): Promise<void>;
}

/** How long a store that is away is waited for; folders answer or fail at once. */
export interface StorePatience {
  readonly signal?: AbortSignal | undefined;
  readonly attempts?: number;
  /** Milliseconds for each attempt. */
  readonly timeout?: number;
}

/** A text of a store. */
export interface StoredText {
  readonly text: string;
  /** Seconds since it was written, by the clock of the store. */
  readonly age: number;
}

/** What keys are made of: they are names of files, and parts of addresses that need no escapes. */
export const keyPattern: RegExp = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/i;

/** The same store, waited for so long where a call does not say otherwise. */
export function withPatience(store: SweepStore, patience: StorePatience): SweepStore {
  return {
    name: store.name,
    read: (key, own) => store.read(key, { ...patience, ...own }),
    create: (key, text, own) => store.create(key, text, { ...patience, ...own }),
    write: (key, text, own) => store.write(key, text, { ...patience, ...own }),
    list: (prefix, own) => store.list(prefix, { ...patience, ...own }),
    remove: (key, own) => store.remove(key, { ...patience, ...own }),
    upload: (key, path, own) => store.upload(key, path, { ...patience, ...own }),
    download: (key, path, own) => store.download(key, path, { ...patience, ...own }),
    expectExclusive: (own) => store.expectExclusive({ ...patience, ...own }),
  };
}
