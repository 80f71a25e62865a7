import type { SweepStore } from '../store/sweep-store.ts';

/** A store in memory that counts requests as a server of S3's protocol gets them: a listing is one for each 1000 keys. */
export function memoryStore(): { readonly store: SweepStore; readonly requests: Map<string, number> } {
  const texts = new Map<string, string>();
  const requests = new Map<string, number>();
  const ask = (kind: string, times = 1): void => {
    requests.set(kind, (requests.get(kind) ?? 0) + times);
  };
  const store: SweepStore = {
    name: 'memory',
    async read(key) {
      ask('read');
      const text = texts.get(key);
      return text === undefined ? undefined : { text, age: 0 };
    },
    async create(key, text) {
      ask('create');
      if (texts.has(key)) return false;
      texts.set(key, text);
      return true;
    },
    async write(key, text) {
      ask('write');
      texts.set(key, text);
    },
    async list(prefix) {
      const keys = [...texts.keys()].filter((key) => key.startsWith(prefix)).sort();
      ask('list', Math.max(1, Math.ceil(keys.length / 1000)));
      return keys;
    },
    async remove(key) {
      ask('remove');
      texts.delete(key);
    },
    async upload(key) {
      ask('upload');
      texts.set(key, '');
    },
    async download() {
      ask('download');
      return false;
    },
    async expectExclusive() {},
  };
  return { store, requests };
}
