import { checkEncoding, parseJsonBytes, RequestError, readBody, type TimeLimit } from '@fuzzqe/api';
import { type RefusedMessage, refusalOf } from './refused-message.ts';

/** A message of the protocol, or the response that refuses it. */
export type ReadMessage =
  | { readonly message: unknown; readonly refusal?: undefined }
  | { readonly refusal: Response };

const hint = 'Send one message, or a batch of them, as UTF-8 JSON.';

/** How a body is refused, where it is not by its text. */
const statuses: Readonly<Record<string, number>> = { 'too-large': 413, 'media-type': 415 };

/**
 * Reads the body of a request as strictly as other bodies, and in turns of the event loop: the protocol's kit would read it at once, with
 * as many names of keys as fit, for half a second each quarter of a million bytes.
 *
 * @param limit the largest body, in bytes.
 * @throws FuzzError `interrupted`, `deadline`: the limits.
 */
export async function readMessage(request: Request, limit: number, limits: TimeLimit): Promise<ReadMessage> {
  try {
    checkEncoding(request.headers);
    return { message: await parseJsonBytes(await readBody(request, limit, hint), limits, 'body', hint) };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const told: RefusedMessage = refusalOf(error);
    return { refusal: Response.json(told, { status: statuses[error.code] ?? 400 }) };
  }
}
