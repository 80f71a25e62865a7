import { sha256 } from './sha256.ts';

/** The parts of every JavaScript runtime that the ES2023 library does not declare. */
interface Platform {
  readonly crypto: {
    readonly subtle: {
      digest(algorithm: 'SHA-256', data: Uint8Array): Promise<ArrayBuffer>;
      importKey(
        format: 'raw',
        key: Uint8Array,
        algorithm: 'Ed25519',
        extractable: false,
        usages: readonly ['verify'],
      ): Promise<object>;
      verify(algorithm: 'Ed25519', key: object, signature: Uint8Array, data: Uint8Array): Promise<boolean>;
    };
  };
  readonly atob: (text: string) => string;
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
  readonly TextDecoder: new (
    label: 'utf-8',
    options: { readonly fatal: true },
  ) => { decode(bytes: Uint8Array): string };
}

/**
 * Node, browsers and Workers have WebCrypto, TextEncoder and TextDecoder under these names.
 *
 * Their libraries (DOM, WebWorker, @types/node) declare much more, which core must not use, so it has its own.
 */
export const platform: Platform = globalThis as unknown as Platform;

/** SHA-256 of bytes, as 64 lower-case hexadecimal digits; of more than `most`, which is what WebCrypto takes, it is computed here. */
export async function sha256Hex(bytes: Uint8Array, most: number = 2 ** 31 - 1): Promise<string> {
  const digest =
    bytes.length > most
      ? sha256(bytes)
      : new Uint8Array(await platform.crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
