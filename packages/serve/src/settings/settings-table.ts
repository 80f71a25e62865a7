// No imports but types: the command line loads this for its help.
import type { ChoiceSetting, ListSetting, NumberSetting, Setting, TextSetting } from './setting.ts';

/** A value for each setting; times are in milliseconds. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly allowHost: readonly string[] | undefined;
  readonly cors: readonly string[] | undefined;
  readonly device: 'auto' | 'cpu' | 'cuda' | 'webgpu';
  readonly profile: string | undefined;
  readonly workers: number | undefined;
  readonly modelBytes: number | undefined;
  readonly batchSize: number | undefined;
  readonly cacheBytes: number;
  readonly requireSignature: string | undefined;
  readonly index: string | undefined;
  readonly facts: string | undefined;
  readonly playground: 'page' | 'bundle' | 'webgpu' | 'off';
  readonly mcp: 'on' | 'off';
  readonly translator: string | undefined;
  readonly translatorModel: string | undefined;
  readonly keys: string | undefined;
  readonly rateLimit: number | undefined;
  readonly rateBurst: number;
  readonly bodyLimit: number;
  readonly maxK: number;
  readonly costLimit: number;
  readonly batchLimit: number;
  readonly batchLines: number;
  readonly batchCostLimit: number;
  readonly waitingLimit: number;
  readonly waitingTime: number;
  readonly maxConnections: number;
  readonly maxInFlight: number;
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  readonly idleTimeout: number;
  readonly timeLimit: number;
  readonly shutdownDelay: number;
  readonly closeNotice: number;
  readonly drainTimeout: number;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly otlpEndpoint: string | undefined;
  readonly traceRatio: number;
}

/** The name of a setting, as in a file: `maxInFlight`. */
export type SettingName = keyof Settings;

type KindFor<Value> = [Value] extends [number]
  ? NumberSetting
  : [Value] extends [readonly string[]]
    ? ListSetting
    : [string] extends [Value]
      ? TextSetting
      : ChoiceSetting<Value & string>;
type SettingFor<Value> = KindFor<Exclude<Value, undefined>> &
  (undefined extends Value ? { readonly fallback?: undefined } : { readonly fallback: Value });

const milliseconds = (
  fallback: number,
  help: string,
  min = 0,
): NumberSetting & { readonly fallback: number } => ({
  kind: 'integer',
  group: 'Timeouts',
  value: 'ms',
  min,
  max: 86_400_000,
  fallback,
  help,
});

/** Everything that can be set of a server, in the order of its help. */
export const settingsTable: { readonly [Name in SettingName]: SettingFor<Settings[Name]> } = {
  host: {
    kind: 'text',
    group: 'Address',
    value: 'address',
    fallback: '127.0.0.1',
    help: 'address to listen on',
  },
  port: {
    kind: 'integer',
    group: 'Address',
    value: 'n',
    min: 0,
    max: 65_535,
    fallback: 8080,
    help: 'port; 0 takes a free one',
  },
  allowHost: {
    kind: 'list',
    group: 'Address',
    value: 'names',
    form: 'host',
    help: 'allowed names in the Host header besides localhost, separated by commas, or * (default: none for a server on this machine only without keys, otherwise any)',
  },
  cors: {
    kind: 'list',
    group: 'Address',
    value: 'origins',
    form: 'origin',
    help: 'origins whose pages may call the API, such as https://graph.example, separated by commas, or *',
  },
  device: {
    kind: 'choice',
    group: 'Model',
    value: 'name',
    choices: ['auto', 'cpu', 'cuda', 'webgpu'],
    fallback: 'cpu',
    help: 'where graphs run',
  },
  profile: {
    kind: 'text',
    group: 'Model',
    value: 'name',
    help: 'precision profile of the model (default: the first of fp32, fp16, int8, int8-basis in the bundle)',
  },
  workers: {
    kind: 'integer',
    group: 'Model',
    value: 'n',
    min: 0,
    max: 256,
    help: 'worker threads on the CPU; 0: compute in the main thread (default: one for each core, fewer with a CPU quota or little memory)',
  },
  modelBytes: {
    kind: 'integer',
    group: 'Model',
    value: 'bytes',
    min: 1,
    max: 2 ** 50,
    help: 'memory for open bundles, if there are several: above it, the server closes bundles that were unused for longest (default: half of the memory or of its limit)',
  },
  batchSize: {
    kind: 'integer',
    group: 'Model',
    value: 'n',
    min: 1,
    max: 4096,
    help: 'largest number of queries computed together (default: 32, on a GPU 128)',
  },
  cacheBytes: {
    kind: 'integer',
    group: 'Model',
    value: 'bytes',
    min: 0,
    max: 2 ** 40,
    fallback: 2 ** 25,
    help: 'memory for links and for the sets of query parts, kept for later queries; bundles share it equally',
  },
  requireSignature: {
    kind: 'text',
    group: 'Model',
    value: 'file',
    help: 'refuse a bundle without a signature by this Ed25519 key (public, PEM)',
  },
  index: {
    kind: 'text',
    group: 'Model',
    value: 'url',
    help: 'URL of a vector index made by fuzzqe index push; finds candidates in both modes',
  },
  facts: {
    kind: 'text',
    group: 'Model',
    value: 'store',
    help: 'facts that change while serving, through /v1/facts: a folder, postgres://…, sparql+http://…, or the URL of a server to follow; for one bundle',
  },
  playground: {
    kind: 'choice',
    group: 'Access',
    value: 'what',
    choices: ['page', 'bundle', 'webgpu', 'off'],
    fallback: 'page',
    help: 'contents of /playground: off; page; bundle: also let browsers download the model; webgpu: bundle and the WebGPU runtime',
  },
  mcp: {
    kind: 'choice',
    group: 'Access',
    value: 'on|off',
    choices: ['on', 'off'],
    fallback: 'off',
    help: 'answer assistants at /mcp, through the Model Context Protocol',
  },
  translator: {
    kind: 'text',
    group: 'Access',
    value: 'url',
    help: 'URL of an API in the form of OpenAI (without /chat/completions) whose model writes patterns for questions in words that no template fits; its key is in FUZZQE_TRANSLATOR_KEY',
  },
  translatorModel: {
    kind: 'text',
    group: 'Access',
    value: 'name',
    help: 'name of the model of the translator',
  },
  keys: {
    kind: 'text',
    group: 'Access',
    value: 'file',
    help: 'file of API keys (names and digests), made by fuzzqe key',
  },
  rateLimit: {
    kind: 'number',
    group: 'Access',
    value: 'n',
    min: 0.001,
    max: 1_000_000,
    help: 'requests a second for each key, or for each client address without keys',
  },
  rateBurst: {
    kind: 'integer',
    group: 'Access',
    value: 'n',
    min: 1,
    max: 1_000_000,
    fallback: 20,
    help: 'requests at once after a pause, if there is a rate limit',
  },
  bodyLimit: {
    kind: 'integer',
    group: 'Limits',
    value: 'bytes',
    min: 1,
    max: 64 * 2 ** 20,
    fallback: 256 * 1024,
    help: 'largest body of a request',
  },
  maxK: {
    kind: 'integer',
    group: 'Limits',
    value: 'n',
    min: 1,
    max: 10_000_000,
    fallback: 1000,
    help: 'largest number of answers of a query',
  },
  costLimit: {
    kind: 'number',
    group: 'Limits',
    value: 'ms',
    min: 0.001,
    max: 86_400_000,
    fallback: 250,
    help: 'largest estimated time of a query on one core; a query above it gets 400',
  },
  batchLimit: {
    kind: 'integer',
    group: 'Limits',
    value: 'bytes',
    min: 1,
    max: 2 ** 30,
    fallback: 4 * 2 ** 20,
    help: 'largest body of a batch of queries',
  },
  batchLines: {
    kind: 'integer',
    group: 'Limits',
    value: 'n',
    min: 1,
    max: 10_000_000,
    fallback: 10_000,
    help: 'largest number of queries of a batch',
  },
  batchCostLimit: {
    kind: 'number',
    group: 'Limits',
    value: 'ms',
    min: 0.001,
    max: 86_400_000,
    fallback: 120_000,
    help: 'largest estimated time of a batch on one core; queries beyond it get 400',
  },
  waitingLimit: {
    kind: 'integer',
    group: 'Limits',
    value: 'n',
    min: 1,
    max: 1_000_000,
    fallback: 512,
    help: 'queries that may wait for a worker; further queries get 429',
  },
  waitingTime: {
    kind: 'number',
    group: 'Limits',
    value: 'ms',
    min: 1,
    max: 86_400_000,
    fallback: 5,
    help: 'longest queueing time of a query beyond the next batches; in an overload longer than a second, queries that would wait longer get 429',
  },
  maxConnections: {
    kind: 'integer',
    group: 'Limits',
    value: 'n',
    min: 1,
    max: 1_000_000,
    fallback: 4096,
    help: 'open connections; beyond it the connection that is idle longest is closed',
  },
  maxInFlight: {
    kind: 'integer',
    group: 'Limits',
    value: 'n',
    min: 1,
    max: 1_000_000,
    fallback: 256,
    help: 'requests under way; further requests get 429',
  },
  headersTimeout: milliseconds(10_000, 'time for all headers of a request', 1),
  requestTimeout: milliseconds(30_000, 'time for a whole request with its body', 1),
  keepAliveTimeout: milliseconds(
    75_000,
    'time for the next request on a connection; set it above the timeout of the load balancer',
    1,
  ),
  idleTimeout: milliseconds(120_000, 'longest time without any byte sent or received', 1),
  timeLimit: milliseconds(30_000, 'time for a query, which then gets 504; clients may ask for less', 1),
  shutdownDelay: milliseconds(0, 'time between the signal to end and the last accepted connection'),
  closeNotice: milliseconds(1000, 'time during which clients are told to close their connections'),
  drainTimeout: milliseconds(10_000, 'time for requests under way at the end'),
  logLevel: {
    kind: 'choice',
    group: 'Observation',
    value: 'level',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    fallback: 'info',
    help: 'lowest level of log lines; info has one line for each request',
  },
  otlpEndpoint: {
    kind: 'text',
    group: 'Observation',
    value: 'url',
    form: 'collector',
    help: 'URL of an OpenTelemetry collector (OTLP over HTTP) without /v1/traces; needs separately installed packages',
  },
  traceRatio: {
    kind: 'number',
    group: 'Observation',
    value: 'share',
    min: 0,
    max: 1,
    fallback: 1,
    help: 'share of traces to keep when the caller has not decided',
  },
};

// `Object.keys` knows no literal types.
export const settingNames = Object.keys(settingsTable) as readonly SettingName[];

/** The setting of a name, as any setting. */
export function settingOf(name: SettingName): Setting {
  return settingsTable[name];
}

/** The flag of a setting: `--max-in-flight`. */
export function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The environment variables begin with this. */
export const variablePrefix = 'FUZZQE_SERVE_';

/** The environment variable of a setting: `FUZZQE_SERVE_MAX_IN_FLIGHT`. */
export function variableOf(name: string): string {
  return variablePrefix + name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
