import type { FuzzError } from '@fuzzqe/core';
import { createSlots } from '../queue/slots.ts';
import type { RankerCall, RankerReply } from './ranker-messages.ts';

/** A call through a port, whose answer has the same number. */
export interface NumberedCall<Call = RankerCall> {
  readonly id: number;
  readonly call: Call;
}

/** The answer to a call of the same number. */
export interface NumberedReply<Reply = RankerReply> {
  readonly id: number;
  readonly reply: Reply;
}

/** Asks through a port that carries messages both ways, of a worker thread or of a worker in a browser. */
export interface PortCaller<Call = RankerCall, Reply = RankerReply> {
  /** @throws FuzzError `runtime`: nobody answers any more. */
  ask(call: Call): Promise<Reply>;
  /** Takes what came through the port. */
  receive(message: NumberedReply<Reply>): void;
  /** Refuses what waits for an answer, and what is asked from now on. */
  end(reason: FuzzError): void;
}

/** Asks by `post`, which sends a message through a port. */
export function createPortCaller<Call = RankerCall, Reply = RankerReply>(
  post: (message: NumberedCall<Call>) => void,
): PortCaller<Call, Reply> {
  const waiting = createSlots<{ resolve(reply: Reply): void; reject(reason: FuzzError): void }>();
  let ended: FuzzError | undefined;
  return {
    ask: (call) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) {
          reject(ended);
          return;
        }
        post({ id: waiting.add({ resolve, reject }), call });
      }),
    receive({ id, reply }) {
      const { resolve } = waiting.get(id) ?? {};
      waiting.remove(id);
      resolve?.(reply);
    },
    end(reason) {
      ended ??= reason;
      for (const { reject } of waiting.all()) reject(ended);
    },
  };
}

/** The buffers of an answer, which go over to the other side instead of being copied. */
export function buffersOf(reply: RankerReply): ArrayBuffer[] {
  if ('error' in reply) return [];
  const buffers: ArrayBuffer[] = [];
  // What is small is copied faster than it is handed over.
  for (const result of reply.results)
    for (const field of Object.values(result))
      if (field instanceof Float32Array && field.buffer instanceof ArrayBuffer && field.byteLength > 65_536)
        buffers.push(field.buffer);
  return buffers;
}
