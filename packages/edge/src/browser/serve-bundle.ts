import { sentError } from '@fuzzqe/core';
import { buffersOf, createRankerHost, type EntityTexts, type NumberedCall } from '@fuzzqe/engine';
import type { GrowingVocabulary, NameChanges } from '@fuzzqe/names';
import type { SearchCall, WorkerCall, WorkerEvent, WorkerReply } from './browser-messages.ts';
import type { WorkerBundle } from './checked-on-device.ts';
import { type LoadGrowth, openInWorker, sentBundle } from './open-in-worker.ts';

/** What is used of a worker's global object. */
interface WorkerScope {
  readonly name: string;
  onmessage: ((message: { readonly data: NumberedCall<WorkerCall> }) => void) | null;
  postMessage(message: unknown, transfer?: Transferable[]): void;
}

// The types of this package are those of Node, too, which has no such object.
const scope = globalThis as unknown as WorkerScope;

/** Answers the calls of a page, in whose worker it runs: `open` first, once, and then those of a ranker. */
export function serveBundle(loadGrowth: LoadGrowth): void {
  // Threads of WebAssembly run this script as well; the runtime that it imports knows what to do there.
  if (!scope.name.startsWith('em-pthread')) serve(scope, loadGrowth);
}

function serve(page: WorkerScope, loadGrowth: LoadGrowth): void {
  const post = (event: WorkerEvent): void => page.postMessage(event);
  let opening: Promise<WorkerBundle> | undefined;
  const opened = (): Promise<WorkerBundle> => opening ?? Promise.reject(new Error('nothing is open'));
  const host = createRankerHost(async () => (await opened()).ranker);
  const answer = async (call: WorkerCall): Promise<WorkerReply> => {
    switch (call.does) {
      case 'open': {
        opening = openInWorker(call, post, loadGrowth);
        const { bundle, ranker, lost } = await opening;
        void lost.then((reason) => post({ event: 'lost', reason }));
        return {
          opened: call.opened === undefined ? sentBundle(bundle) : undefined,
          runtime: ranker.runtime,
        };
      }
      case 'search':
        return { found: search(await opened(), call) };
      case 'texts':
        return { texts: await textsIn(await opened(), call.id) };
      case 'name':
        putNames(await opened(), call.changes);
        return { named: true };
      default:
        return host(call);
    }
  };
  page.onmessage = ({ data: { id, call } }) => {
    answer(call).then(
      (reply) => page.postMessage({ id, reply }, 'results' in reply ? buffersOf(reply) : []),
      (error: unknown) => page.postMessage({ id, reply: { error: sentError(error) } }),
    );
  };
}

function putNames({ bundle: { vocabulary } }: WorkerBundle, changes: NameChanges): void {
  // Only a bundle that grows has such a vocabulary.
  if ('put' in vocabulary) (vocabulary as GrowingVocabulary).put(changes);
}

function textsIn({ bundle }: WorkerBundle, id: number): Promise<EntityTexts> {
  return bundle.textsOf(id, bundle.vocabulary);
}

function search(
  { bundle: { vocabulary } }: WorkerBundle,
  { kind, text, page }: SearchCall,
): Extract<WorkerReply, { found: unknown }>['found'] {
  return kind === 'entities' ? vocabulary.searchEntities(text, page) : vocabulary.searchRelations(text, page);
}
