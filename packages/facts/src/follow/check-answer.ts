import { FuzzError } from '@fuzzqe/core';

/** What is known of the store that is followed. */
export interface Known {
  /** Undefined before the first answer. */
  readonly id: string | undefined;
  readonly epoch: number;
}

/** What an answer says of the store. */
export interface Polled {
  readonly id: string;
  readonly epoch: number;
  /** Whether the batches after our epoch were joined with batches before it: read from 0. */
  readonly isCompacted: boolean;
}

/**
 * Reads the status and the headers of an answer of `GET /v1/facts`.
 *
 * @throws FuzzError `runtime`, passing: a server that cannot answer now. `config`: a key that is refused. `data`: another store, or one
 *   whose epoch is below ours. `runtime`: a server without facts.
 */
export async function checkAnswer(response: Response, known: Known, path: string): Promise<Polled> {
  const { status, headers } = response;
  const id = headers.get('fuzzqe-store');
  const epoch = Number(headers.get('fuzzqe-epoch') ?? Number.NaN);
  if (status !== 200) await response.body?.cancel();
  if (status === 401 || status === 403)
    throw new FuzzError('config', `the server that is followed refuses the key: status ${status}`, {
      path,
      hint: 'Set FUZZQE_KEY to a key of that server.',
    });
  if (status === 429 || (status >= 500 && status !== 501))
    throw new FuzzError('runtime', `the server that is followed answers ${status}`, { path, passing: true });
  if (![200, 409, 422].includes(status) || id === null || !Number.isSafeInteger(epoch))
    throw new FuzzError(
      'runtime',
      `expected a server whose facts change, got status ${status} without them`,
      {
        path,
        hint: 'Follow a server that was started with --facts.',
      },
    );
  if (known.id !== undefined && id !== known.id)
    throw new FuzzError('data', `facts: expected the store ${known.id}, got ${id}`, {
      path,
      hint: 'The server has another store now. Start this server anew to follow it.',
    });
  if (epoch < known.epoch)
    throw new FuzzError('data', `facts: expected epoch ${known.epoch} or later, got ${epoch}`, {
      path,
      hint: 'The server lost changes, as by an old copy of its store. Start this server anew to follow it.',
    });
  return { id, epoch, isCompacted: status === 422 };
}
