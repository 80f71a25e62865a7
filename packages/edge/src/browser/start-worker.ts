import { FuzzError, type NameEntry, receivedError } from '@fuzzqe/core';
import {
  createPortCaller,
  createRemoteRanker,
  type EntityTexts,
  type NumberedReply,
  type Ranker,
  type RankerReply,
} from '@fuzzqe/engine';
import type { NameChanges } from '@fuzzqe/names';
import type {
  OpenCall,
  SearchCall,
  SentBundle,
  WorkerCall,
  WorkerEvent,
  WorkerReply,
} from './browser-messages.ts';
import type { BrowserWarning, OpenProgress } from './browser-options.ts';

/** A worker with a bundle open. */
export interface BundleWorker {
  readonly ranker: Ranker;
  /** The runtime and device, for people. */
  readonly runtime: string;
  /** What it sent of the bundle, with the names of its entities; undefined where that was not wanted. */
  readonly sent: (SentBundle & { readonly entities: readonly NameEntry[] }) | undefined;
  /** Why it answers no more; undefined while it does. */
  readonly lost: string | undefined;
  search(call: Omit<SearchCall, 'does'>): Promise<Extract<WorkerReply, { found: unknown }>['found']>;
  textsOf(id: number): Promise<EntityTexts>;
  /** Tells it of names that the page has in addition. */
  name(changes: NameChanges): Promise<void>;
}

/** Who hears what a worker says unasked. */
export interface WorkerListeners {
  readonly onProgress?: ((progress: OpenProgress) => void) | undefined;
  readonly onWarning?: ((warning: BrowserWarning) => void) | undefined;
}

/**
 * Starts a worker and has it open a bundle; one whose opening fails is ended, with all that it waits for.
 *
 * @throws FuzzError `interrupted`: the signal. `runtime`: the script does not load. What opening throws.
 */
export async function startWorker(
  start: () => Worker,
  call: Omit<OpenCall, 'does'>,
  { onProgress, onWarning }: WorkerListeners,
  signal: AbortSignal | undefined,
): Promise<BundleWorker> {
  throwIfAborted(signal);
  const worker = start();
  const caller = createPortCaller<WorkerCall, WorkerReply>((message) => worker.postMessage(message));
  const entities: NameEntry[] = [];
  let lost: string | undefined;
  let isOpen = false;
  /** Ends the worker, and what waits for it. */
  const end = (reason: FuzzError): void => {
    worker.terminate();
    caller.end(reason);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    lost = event.message || 'its script could not be loaded';
    end(new FuzzError('runtime', `the web worker ended: ${lost}`, { hint: scriptHint }));
  };
  worker.onmessage = ({ data }: { readonly data: WorkerEvent | NumberedReply<WorkerReply> }) => {
    if ('id' in data) caller.receive(data);
    else if (data.event === 'progress') {
      // Nobody waits for a runtime that begins later.
      if (!isOpen) onProgress?.(data.progress);
    } else if (data.event === 'warning') onWarning?.(data.warning);
    else if (data.event === 'names') for (const entry of data.entries) entities.push(entry);
    else {
      lost = data.reason || 'the graphics processor went away';
      end(new FuzzError('runtime', `the graphics processor went away: ${lost}`));
    }
  };
  const giveUp = (): void => end(interrupted(signal));
  signal?.addEventListener('abort', giveUp);
  try {
    const reply = await caller.ask({ does: 'open', ...call });
    if (!('opened' in reply)) throw replyError(reply);
    isOpen = true;
    const { opened, runtime } = reply;
    const remote = createRemoteRanker({
      place: runtime,
      plan: 'edge',
      // A ranker's calls have a ranker's answers.
      ask: (rankerCall) => caller.ask(rankerCall) as Promise<RankerReply>,
    });
    const ranker: Ranker = {
      ...remote,
      get runtime() {
        return remote.runtime;
      },
      get ready() {
        return remote.ready && lost === undefined;
      },
      async close() {
        await remote.close().catch(() => undefined);
        end(new FuzzError('runtime', 'the engine is closed'));
      },
    };
    return {
      ranker,
      runtime,
      sent: opened && { ...opened, entities },
      get lost() {
        return lost;
      },
      async search(wanted) {
        const answer = await caller.ask({ does: 'search', ...wanted });
        if (!('found' in answer)) throw replyError(answer);
        return answer.found;
      },
      async textsOf(id) {
        const answer = await caller.ask({ does: 'texts', id });
        if (!('texts' in answer)) throw replyError(answer);
        return answer.texts;
      },
      async name(changes) {
        const answer = await caller.ask({ does: 'name', changes });
        if (!('named' in answer)) throw replyError(answer);
      },
    };
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

const scriptHint =
  'Check that the script of the worker is served, and that the policy of the page allows it (worker-src).';

function replyError(reply: WorkerReply): Error {
  return 'error' in reply
    ? receivedError(reply.error)
    : new FuzzError('runtime', 'an answer to another question');
}

/** @throws FuzzError `interrupted`: the signal is raised. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw interrupted(signal);
}

function interrupted(signal: AbortSignal | undefined): FuzzError {
  return new FuzzError('interrupted', 'the opening of the bundle was given up', { cause: signal?.reason });
}
