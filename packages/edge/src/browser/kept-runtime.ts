import { runtimeStore } from './runtime-store.ts';

/** What is wanted of what an earlier visit kept. */
export interface KeptCall {
  /** The address of the runtime's .wasm file. */
  readonly wasm: string;
  /** The addresses of images, of which the first that is there is wanted. */
  readonly images: readonly string[];
}

/** What an earlier visit kept of the runtime, each under the key that it was kept under; what is not there was not kept, or is damaged. */
export interface KeptRuntime {
  readonly code?:
    | { readonly key: string; readonly module: WebAssembly.Module; readonly bytes: number }
    | undefined;
  /** The file of an image, which nobody has compared yet. */
  readonly image?: { readonly key: string; readonly file: ArrayBuffer } | undefined;
}

/** Compiles the copy of the runtime's file and reads that of an image, if there are any; never throws. */
export async function readKeptRuntime({ wasm, images }: KeptCall): Promise<KeptRuntime> {
  const first = async <T>(urls: readonly string[], use: (key: string, copy: Response) => Promise<T>) => {
    try {
      const cache = await caches.open(runtimeStore);
      for (const url of urls) {
        // Which version it is of stands behind the address; of others there are no copies.
        const [key] = await cache.keys(url, { ignoreSearch: true });
        const copy = key && (await cache.match(key));
        if (copy) return await use(key.url, copy);
      }
    } catch {
      // Who wants it finds out by itself.
    }
    return undefined;
  };
  const [code, image] = await Promise.all([
    first([wasm], async (key, copy) => ({
      key,
      bytes: Number(copy.headers.get('content-length') ?? 0),
      module: await WebAssembly.compileStreaming(copy),
    })),
    first(images, async (key, copy) => ({ key, file: await copy.arrayBuffer() })),
  ]);
  return { code, image };
}
