import { FuzzError, messageOf } from '@fuzzqe/core';

/** A batch as it is kept. */
export interface KeptBatch {
  readonly epoch: number;
  readonly json: string;
}

/** What is kept of an overlay. */
export interface KeptOverlay {
  /** That of the last change; it never falls. */
  readonly epoch: number;
  /** The epoch at which all changes before were removed; 0 if they never were. */
  readonly cleared: number;
  readonly batches: readonly KeptBatch[];
}

/** The changes of one overlay in IndexedDB. */
export interface OverlayDatabase {
  /** What came after an epoch. Throws: `storage`. */
  read(after: number): Promise<KeptOverlay>;
  /** Appends batches, whose JSON gets the next epochs, and gives the last epoch. Throws: `storage`; then nothing is kept. */
  append(batches: readonly ((epoch: number) => string)[]): Promise<number>;
  /** Removes all batches, which is a change of its own. Throws: `storage`. */
  clear(): Promise<void>;
  close(): void;
}

/** How the database is called, and what tabs tell each other of it. */
export const databaseName = 'fuzzqe-facts';
/** By overlay, its epochs. */
const heads = 'overlays';
/** By overlay and epoch, JSON. */
const batchStore = 'batches';

type Head = Omit<KeptOverlay, 'batches'>;

/** Opens the database with the first call, and again where the browser has closed it. */
export function overlayDatabase(overlay: string): OverlayDatabase {
  let opening: Promise<IDBDatabase> | undefined;
  const opened = (): Promise<IDBDatabase> => {
    opening ??= openDatabase(() => {
      opening = undefined;
    });
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  };
  const within = async <T>(
    mode: IDBTransactionMode,
    work: (stores: { readonly head: IDBObjectStore; readonly batches: IDBObjectStore }) => Promise<T>,
  ): Promise<T> => {
    try {
      const database = await opened();
      const transaction = database.transaction([heads, batchStore], mode, { durability: 'strict' });
      const ended = new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error ?? new Error('the transaction was given up'));
      });
      const [result] = await Promise.all([
        work({ head: transaction.objectStore(heads), batches: transaction.objectStore(batchStore) }),
        ended,
      ]);
      return result;
    } catch (cause) {
      throw storageError(cause);
    }
  };
  const headIn = async (head: IDBObjectStore): Promise<Head> =>
    (await done<Head | undefined>(head.get(overlay))) ?? { epoch: 0, cleared: 0 };
  const after = (epoch: number): IDBKeyRange =>
    IDBKeyRange.bound([overlay, epoch], [overlay, Number.POSITIVE_INFINITY], true);
  return {
    read: (epoch) =>
      within('readonly', async ({ head, batches }) => {
        const { epoch: last, cleared } = await headIn(head);
        const range = after(epoch);
        const [keys, values] = await Promise.all([
          done(batches.getAllKeys(range)),
          done<unknown[]>(batches.getAll(range)),
        ]);
        const kept = values.map((json, i) => ({ epoch: (keys[i] as [string, number])[1], json: `${json}` }));
        return { epoch: last, cleared, batches: kept };
      }),
    append: (all) =>
      within('readwrite', async ({ head, batches }) => {
        const { epoch, cleared } = await headIn(head);
        let last = epoch;
        for (const make of all) {
          last += 1;
          batches.put(make(last), [overlay, last]);
        }
        head.put({ epoch: last, cleared }, overlay);
        return last;
      }),
    clear: () =>
      within('readwrite', async ({ head, batches }) => {
        const { epoch } = await headIn(head);
        batches.delete(after(0));
        head.put({ epoch: epoch + 1, cleared: epoch + 1 }, overlay);
      }),
    close() {
      void opening?.then((database) => database.close()).catch(() => undefined);
      opening = undefined;
    },
  };
}

function openDatabase(onClose: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(databaseName, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(heads);
      request.result.createObjectStore(batchStore);
    };
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const { result } = request;
      result.onclose = onClose;
      // A later version of this code, or someone who removes the database, does not wait for this tab.
      result.onversionchange = () => {
        result.close();
        onClose();
      };
      resolve(result);
    };
  });
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function storageError(cause: unknown): FuzzError {
  const isFull = cause instanceof DOMException && cause.name === 'QuotaExceededError';
  return new FuzzError('storage', `facts of your own cannot be kept or read: ${messageOf(cause)}`, {
    path: `IndexedDB ${databaseName}`,
    hint: isFull
      ? 'Free space for this site. Nothing has changed.'
      : 'Allow this site to keep data: private windows and policies may forbid it. Nothing has changed.',
    cause,
  });
}
