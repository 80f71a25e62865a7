import { FuzzError, importOptional } from '@fuzzqe/core';
import { aFunction, anything, checkOptions, type OptionForm } from '@fuzzqe/engine';
import type { Span } from '@opentelemetry/api';
import { collectorForm, isCollectorAddress, tracesAddress } from './collector-address.ts';

/** A request as a trace shows it, from its beginning on. */
export interface RequestSpan {
  /** Of the trace, for the log. */
  readonly traceId: string;
  /** `route`: the pattern of its path, where it has one. */
  end(outcome: {
    readonly route: string | undefined;
    readonly status: number;
    readonly error?: unknown;
  }): void;
}

/** Hands spans of requests to a collector. */
export interface Tracing {
  /** Begins a span below that of the caller, where its `traceparent` (W3C Trace Context) is one; then `tracestate` is passed on. */
  start(request: {
    readonly method: string;
    readonly path: string;
    readonly traceparent: string | undefined;
    readonly tracestate?: string | undefined;
  }): RequestSpan;
  /** Sends what has not been sent. */
  close(): Promise<void>;
}

/** Where spans go. */
export interface TracingOptions {
  /** Of a collector that takes OTLP over HTTP: `http://localhost:4318`. */
  readonly endpoint: string;
  /** The share of traces that is kept where the caller has not decided, in [0, 1]. Default 1. */
  readonly ratio?: number;
  /** Hears when spans reach the collector no more, and when they do again. Default: nobody. */
  readonly onChange?: (arrives: boolean, error: unknown) => void;
}

const forms: Readonly<Record<keyof TracingOptions, OptionForm>> = {
  endpoint: anything,
  // The library would take what is none for 0, and keep nothing.
  ratio: ['a number in [0, 1]', (value) => typeof value === 'number' && value >= 0 && value <= 1],
  onChange: aFunction,
};

const install =
  'npm install @opentelemetry/api @opentelemetry/sdk-trace @opentelemetry/resources @opentelemetry/exporter-trace-otlp-http';

/**
 * Tracing by OpenTelemetry, with spans by its semantic conventions for HTTP servers; its packages are loaded here, and nowhere else.
 *
 * @throws FuzzError `runtime`: a package of OpenTelemetry is not installed. `config`: the address of the collector.
 * `usage`: another option.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  checkOptions(options, forms);
  const { endpoint, ratio = 1, onChange } = options;
  if (!isCollectorAddress(endpoint))
    throw new FuzzError('config', `expected ${collectorForm}, got ${JSON.stringify(endpoint)}`, {
      path: 'endpoint',
      hint: 'Name the collector alone: the path of traces is added.',
    });
  const load = <T>(name: string, from: () => Promise<T>): Promise<T> => importOptional(name, install, from);
  const { createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await load(
    '@opentelemetry/api',
    () => import('@opentelemetry/api'),
  );
  const sdk = await load('@opentelemetry/sdk-trace', () => import('@opentelemetry/sdk-trace'));
  const { resourceFromAttributes } = await load(
    '@opentelemetry/resources',
    () => import('@opentelemetry/resources'),
  );
  const { OTLPTraceExporter } = await load(
    '@opentelemetry/exporter-trace-otlp-http',
    () => import('@opentelemetry/exporter-trace-otlp-http'),
  );
  const exporter = new OTLPTraceExporter({ url: tracesAddress(endpoint) });
  let arrives = true;
  const told: typeof exporter.export = (spans, done) =>
    exporter.export(spans, (result) => {
      const arrived = result.code === sent;
      if (arrived !== arrives) onChange?.(arrived, result.error);
      arrives = arrived;
      done(result);
    });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'fuzzqe' }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: { export: told, shutdown: () => exporter.shutdown() },
      }),
    ],
  });
  const tracer = provider.getTracer('fuzzqe');
  return {
    start({ method, path, traceparent, tracestate }) {
      const parent = readTraceparent(traceparent);
      const context =
        parent === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, {
              ...parent,
              isRemote: true,
              ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
            });
      const isKnown = knownMethods.has(method);
      const attributes = {
        'http.request.method': isKnown ? method : '_OTHER',
        ...(isKnown ? {} : { 'http.request.method_original': method }),
        // A server that speaks no TLS; what a proxy before it was asked by, its own span says.
        'url.scheme': 'http',
        'url.path': path,
      };
      const name = isKnown ? method : 'HTTP';
      const span: Span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, context);
      return {
        traceId: span.spanContext().traceId,
        end({ route, status, error }) {
          if (route !== undefined) span.updateName(`${name} ${route}`).setAttribute('http.route', route);
          span.setAttribute('http.response.status_code', status);
          if (error instanceof Error) span.recordException({ name: error.name, message: error.message });
          if (status >= 500)
            span.setAttribute('error.type', `${status}`).setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    close: () => provider.shutdown().catch(() => undefined),
  };
}

/** `ExportResultCode.SUCCESS` of @opentelemetry/core, which is no package of ours. */
const sent = 0;

/** Those that have an attribute of their own; any other is one value, since clients may send whatever they like. */
const knownMethods: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

/** https://www.w3.org/TR/trace-context/#traceparent-header: what a later version has behind these is passed over. */
function readTraceparent(
  header: string | undefined,
): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number } | undefined {
  const [, version, traceId, spanId, flags, more] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}
