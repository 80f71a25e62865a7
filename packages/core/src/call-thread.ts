import { FuzzError, messageOf } from './errors.ts';

/** A thread, as a Worker of Node is one. */
export interface Thread {
  on(event: 'error' | 'messageerror' | 'exit' | 'message', listener: (value: unknown) => void): unknown;
  postMessage(message: unknown): void;
  terminate(): Promise<unknown>;
}

/** A thread that answers every message with one of the same number. */
export interface CalledThread<Message extends Numbered, Reply extends Numbered> {
  /**
   * What the thread answers.
   *
   * @throws FuzzError `runtime`: the thread failed or ended, now or before. `interrupted`: it was closed.
   */
  ask(message: Message): Promise<Reply>;
  /** Ends the thread; what waits for an answer is refused. */
  close(): Promise<void>;
}

/** By its number an answer finds the message that it belongs to. */
export interface Numbered {
  readonly id: number;
}

/** Asks a thread, and lets nobody wait for one that has ended, however that came about; `what` it is, for messages. */
export function callThread<Message extends Numbered, Reply extends Numbered>(
  worker: Thread,
  what: string,
): CalledThread<Message, Reply> {
  const waiting = new Map<number, { resolve(reply: Reply): void; reject(reason: FuzzError): void }>();
  let end: FuzzError | undefined;
  const finish = (reason: FuzzError): void => {
    end ??= reason;
    for (const { reject } of waiting.values()) reject(end);
    waiting.clear();
  };
  const fail = (cause: unknown): void => {
    const message = messageOf(cause);
    finish(new FuzzError('runtime', `${what} failed: ${message}`, { cause }));
  };
  worker.on('error', fail);
  worker.on('messageerror', fail);
  // A thread may end without an error: by process.exit, or where the system has no memory for it.
  worker.on('exit', (code) => fail(`it exited with code ${code}`));
  worker.on('message', (message) => {
    // A thread answers in its own form.
    const reply = message as Reply;
    waiting.get(reply.id)?.resolve(reply);
    waiting.delete(reply.id);
  });
  return {
    ask: (message) =>
      new Promise((resolve, reject) => {
        if (end !== undefined) {
          reject(end);
          return;
        }
        waiting.set(message.id, { resolve, reject });
        worker.postMessage(message);
      }),
    async close() {
      finish(new FuzzError('interrupted', `${what} was closed`));
      await worker.terminate();
    },
  };
}
