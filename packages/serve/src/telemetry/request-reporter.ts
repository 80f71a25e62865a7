import type { RequestSubject } from '@fuzzqe/api';
import type { Log } from './log.ts';
import type { Metrics, RefusalReason } from './metrics.ts';

/** What the log and the metrics have of a request. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
  readonly client?: string | undefined;
  readonly address: string | undefined;
  readonly traceId?: string | undefined;
  readonly refused: RefusalReason | undefined;
  readonly subject?: RequestSubject | undefined;
  readonly error?: unknown;
}

/** Reasons for which an overload refuses. */
export const overloadReasons: ReadonlySet<RefusalReason> = new Set(['in-flight', 'late', 'waiting']);

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Tells of requests: each is counted in the metrics and has its line in the log. */
export function createRequestReporter({
  log,
  metrics,
}: {
  readonly log: Log;
  readonly metrics: Metrics;
}): (line: RequestLine) => void {
  return (line) => {
    const { method, path, route = 'other', status, seconds, refused, error, subject, ...others } = line;
    metrics.request({ method: knownMethods.has(method) ? method : 'other', route, status, seconds });
    if (refused !== undefined) metrics.refused(refused);
    // A passed deadline is nobody's fault. An overload is answered 429: whatever is 503 is one.
    const isFault = status >= 500 && status !== 504;
    // Thousands of these a second are told by the metrics.
    const level = isFault
      ? 'error'
      : refused !== undefined && overloadReasons.has(refused)
        ? 'debug'
        : 'info';
    log[level](
      {
        requestId: others.requestId,
        method,
        path: path.slice(0, 200),
        route,
        status,
        ms: Math.round(seconds * 1e5) / 100,
        client: others.client,
        address: others.address,
        traceId: others.traceId,
        refused,
        ...subject,
        ...(isFault && error !== undefined ? { error } : {}),
      },
      'request',
    );
  };
}
