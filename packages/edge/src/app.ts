import {
  type ApiOptions,
  type App,
  checkApiOptions,
  createApp,
  type FaultListener,
  problemHeaders,
  problemOf,
} from '@fuzzqe/api';
import { type BundleSource, isCombined, modesOf } from '@fuzzqe/bundle';
import { FuzzError, isPassing } from '@fuzzqe/core';
import {
  aFunction,
  anObject,
  anything,
  atLeast,
  type BundleEngine,
  checkForms,
  checkOptions,
  createEngine,
  createGoldenCheck,
  createLocalRanker,
  flag,
  has,
  type OptionForm,
  openBundle,
} from '@fuzzqe/engine';
import { answerWhole } from './answer-whole.ts';
import { checkMemory } from './check-memory.ts';
import type { EdgeFacts, FollowedFacts } from './facts/edge-facts.ts';
import { createInFlight, type InFlight } from './in-flight.ts';
import { keepingOpened } from './keeping-opened.ts';
import { logFault, neverThrowing } from './log-fault.ts';
import { createOpening, inTime, type RequestContext } from './opening.ts';
import { type WebRuntime, webRuntimeForm, webSessions } from './session.ts';

export type { RequestContext } from './opening.ts';

/** What an application at the edge needs. */
export interface EdgeAppOptions {
  readonly source: BundleSource;
  readonly ort: WebRuntime;
  /** What makes the opening of the first graph shorter; where it fails, that is said to `onError` and nothing else changes. */
  readonly prepare?: () => Promise<void>;
  readonly device?: 'wasm' | 'webgpu';
  readonly threads?: number;
  readonly profile?: string;
  /** Whether every file that is used is compared with its digest. Default true. */
  readonly verify?: boolean;
  /** An Ed25519 public key in PEM: only a bundle that was signed with its private key is opened. Default: any is. */
  readonly requireSignature?: string;
  /** How much memory there is, in bytes: a bundle that takes more is not opened. Default: no limit. */
  readonly memoryLimit?: number;
  /** How long a request waits for the opening of the bundle, in milliseconds. Default 30 000. */
  readonly openTimeout?: number;
  /** Changes of facts that answers follow: `deltaFacts` of `@fuzzqe/edge/facts`. Default: the facts of the bundle. */
  readonly facts?: EdgeFacts;
  /** `onError` hears of faults; by default each is a line of JSON on the console. */
  readonly api?: ApiOptions;
}

/** What a Worker exports. */
export interface EdgeApp {
  fetch(request: Request, context?: RequestContext): Promise<Response>;
}

interface OpenApp {
  readonly app: App;
  readonly engine: BundleEngine;
  readonly inFlight: InFlight;
  /** Undefined where facts stay as opened. */
  readonly facts: FollowedFacts | undefined;
  /** Compares golden cases: once for all requests that come meanwhile, and no more once they were right. */
  check(): Promise<void>;
}

/** What callers without types may give instead; a profile and a key are looked at with the bundle, and how the runtime runs by it. */
export const edgeForms: Readonly<Record<keyof EdgeAppOptions, OptionForm>> = {
  source: ['the source of a bundle', (value) => has(value, 'read')],
  ort: webRuntimeForm,
  prepare: aFunction,
  device: anything,
  threads: anything,
  profile: anything,
  verify: flag,
  requireSignature: anything,
  memoryLimit: atLeast(0),
  openTimeout: atLeast(0),
  facts: ['changes of facts, as deltaFacts gives them', (value) => has(value, 'follow')],
  api: anObject,
};

/**
 * The HTTP API over onnxruntime-web, opened by the first request.
 *
 * Workers allow no I/O before a request, and too little time. Requests that come meanwhile wait for the same opening, which goes on
 * where the client that began it has gone. Where files could not be read, or memory for a graph ran out, the next request tries again:
 * they are answered 503 where it passes by itself, else 500. What else the runtime refuses it would refuse again, and so it would where
 * it did not begin to run. `GET /livez` says that the script runs, `GET /readyz` that the bundle is open and has answered its golden cases.
 *
 * @throws FuzzError `usage`: an option, or one of `api`.
 * @example
 * export default createEdgeApp({ source: fetchSource('https://example.org/bundle'), ort });
 */
export function createEdgeApp(options: EdgeAppOptions): EdgeApp {
  checkOptions(options, edgeForms);
  const { source, ort } = options;
  const needed = { source: source ?? null, ort: ort ?? null };
  checkForms(needed, edgeForms, 'usage', '$', 'As { source: fetchSource(address), ort }.');
  if (options.api !== undefined) checkApiOptions(options.api, '$.api');
  const onError = neverThrowing(options.api?.onError ?? logFault);
  const { openTimeout = 30_000 } = options;
  const opening = createOpening(
    (isWanted) => openApp({ ...options, openTimeout, api: { ...options.api, onError } }, isWanted),
    { openTimeout },
  );
  const openedApp = async (context: RequestContext | undefined): Promise<OpenApp> => {
    const opened = await opening.get(context);
    if (context === undefined || !opened.inFlight.isStuck) return opened;
    opening.drop(opened);
    return opening.get(context);
  };
  const check = async ({ check: golden }: OpenApp): Promise<void> => {
    try {
      await inTime(golden(), openTimeout);
    } catch (error) {
      // Anyone who answers wrongly answers nobody.
      if (error instanceof FuzzError && error.code === 'parity') opening.fail(error);
      throw error;
    }
  };
  return {
    async fetch(request, context) {
      const { pathname } = new URL(request.url);
      if (pathname === '/livez') return health({ live: true }, 200);
      try {
        const opened = await openedApp(context);
        if (pathname !== '/readyz')
          return await opened.inFlight.during(context, () => answerWhole(opened.app, request));
        await opened.inFlight.during(context, async () => {
          await check(opened);
          await opened.facts?.opened();
        });
        const { manifest, profile, runtime } = opened.engine;
        return health({ ready: true, name: manifest.name, profile, runtime }, 200);
      } catch (error) {
        const id = crypto.randomUUID();
        onError(error, id, 'answer');
        if (pathname === '/readyz') return health({ ready: false, requestId: id }, 503);
        return refusal(error, id);
      }
    },
  };
}

async function openApp(
  options: EdgeAppOptions & {
    readonly openTimeout: number;
    readonly api: ApiOptions & { readonly onError: FaultListener };
  },
  isWanted: () => boolean,
): Promise<OpenApp> {
  const { memoryLimit, api, facts } = options;
  const inFlight = createInFlight(options);
  const expectWanted = (): void => {
    if (!isWanted()) throw new FuzzError('interrupted', 'another request opens the bundle');
  };
  let isOpening = true;
  const source: BundleSource = {
    ...options.source,
    read(path, most, sha256) {
      if (isOpening) expectWanted();
      return options.source.read(path, most, sha256);
    },
  };
  const { ort, device = 'wasm', threads = 1 } = options;
  const sessions = webSessions({ ort, device, threads });
  const preparing = prepared(options.prepare, api.onError);
  let room = Number.POSITIVE_INFINITY;
  const opened = await openBundle(source, {
    ...options,
    accept(manifest, chosen) {
      if (memoryLimit !== undefined) room = checkMemory(manifest, chosen, memoryLimit);
    },
  });
  const bundle = facts?.changeable(opened) ?? opened;
  await preparing;
  // The runtime copies the weights of every graph it opens: one graph for every structure holds them once.
  const ranker = createLocalRanker(bundle, {
    sessions: { ...sessions, open: (graph, files) => inFlight.share(sessions.open(graph, files)) },
    plan: 'edge',
  });
  // One session does for everything, so that anyone who opens the bundle opens it too.
  if (isCombined(bundle.profile)) await ranker.warmUp(modesOf(bundle.manifest)[0]);
  isOpening = false;
  await options.source.keep?.(bundle.manifest);
  if (!isWanted()) await ranker.close();
  expectWanted();
  let isChecked = false;
  // Golden cases are of the facts as opened.
  const engine = createEngine(bundle, facts === undefined ? ranker : keepingOpened(ranker, () => !isChecked));
  const { share } = inFlight;
  const followed = facts?.follow(engine, { onError: api.onError, share, room });
  const { middleware = [] } = api;
  let checking: Promise<void> | undefined;
  return {
    engine,
    app: createApp(engine, {
      ...api,
      middleware: followed === undefined ? middleware : [followed.middleware, ...middleware],
    }),
    inFlight,
    facts: followed,
    async check() {
      checking ??= inFlight.share(createGoldenCheck(bundle).then((golden) => golden(ranker)));
      const current = checking;
      try {
        await current;
        isChecked = true;
      } catch (error) {
        if (checking === current) checking = undefined;
        throw error;
      }
    },
  };
}

async function prepared(prepare: EdgeAppOptions['prepare'], onError: FaultListener): Promise<void> {
  try {
    await prepare?.();
  } catch (error) {
    onError(error, crypto.randomUUID(), 'answer');
  }
}

function health(state: object, status: number): Response {
  return Response.json(state, { status, headers: { 'cache-control': 'no-store' } });
}

/** What passes is told apart from what does not; why it is stands in the log. */
function refusal(error: unknown, id: string): Response {
  const told = new FuzzError('runtime', '', { passing: isPassing(error) });
  const problem = problemOf(told, id);
  return Response.json(problem, {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json',
      'x-request-id': id,
      ...problemHeaders(told, problem),
    },
  });
}
