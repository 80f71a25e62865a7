import { maxHeaderSize } from 'node:http';

/** A request of which every byte has come, read as far as it takes to refuse it. */
export interface WholeRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** The id that the client gave it. */
  readonly requestId: string | undefined;
}

const headPattern = /^(GET|POST) (\/[!->@-~]*)(?:\?[!-~]*)? HTTP\/1\.1\r\n((?:[\w-]+:[\t -~]*\r\n)+)$/;
const lengthPattern = /^content-length:[\t ]*(\d{1,9})[\t ]*\r$/gim;
const idPattern = /^x-request-id:[\t ]*([\w\-=]{1,255})[\t ]*\r$/im;
/** What says that the body, or what follows it, is read in another way. */
const specialPattern =
  /^(?:content-length|transfer-encoding|expect|upgrade|(?:proxy-)?connection|trailer|te|origin|sec-[\w-]+):/gim;
const hostPattern = /^host:/gim;
const keepAlivePattern = /^connection:[\t ]*keep-alive[\t ]*\r$/gim;

/**
 * Reads bytes that are exactly one plain request of HTTP/1.1: what may be answered on its connection without a parser that keeps its
 * state. Undefined for everything else, such as chunks, a connection that ends, or a page elsewhere, whose answers have headers of their own.
 */
export function readWholeRequest(bytes: Buffer): WholeRequest | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1 || end + 4 > maxHeaderSize) return undefined;
  const [, method = '', path = '', headers = ''] =
    headPattern.exec(bytes.toString('latin1', 0, end + 2)) ?? [];
  if (headers === '') return undefined;
  const lengths = [...headers.matchAll(lengthPattern)];
  const plain = lengths.length + countOf(headers, keepAlivePattern);
  if (countOf(headers, hostPattern) !== 1 || lengths.length > 1 || countOf(headers, specialPattern) !== plain)
    return undefined;
  if (end + 4 + Number(lengths[0]?.[1] ?? 0) !== bytes.length) return undefined;
  return { method, path, requestId: idPattern.exec(headers)?.[1] };
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
