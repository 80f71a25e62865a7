// No imports: the command line loads this for its help.

/** Under which heading help lists a setting. */
export type SettingGroup = 'Address' | 'Model' | 'Access' | 'Limits' | 'Timeouts' | 'Observation';

interface SettingOf<Kind extends string, Value> {
  readonly kind: Kind;
  readonly group: SettingGroup;
  /** What stands for its value in help. */
  readonly value: string;
  readonly help: string;
  /** Its value where nothing else is said. */
  readonly fallback?: Value | undefined;
}

/** A path, name or address. */
export interface TextSetting extends SettingOf<'text', string> {
  /** What the text has to be, where that can be told before it is used. */
  readonly form?: 'collector';
}

/** A number within bounds. */
export interface NumberSetting extends SettingOf<'integer' | 'number', number> {
  readonly min: number;
  readonly max: number;
}

/** One name of a closed set. */
export interface ChoiceSetting<Choice extends string = string> extends SettingOf<'choice', Choice> {
  readonly choices: readonly Choice[];
}

/** Texts, separated by commas on a command line. */
export interface ListSetting extends SettingOf<'list', readonly string[]> {
  /** What each of them has to be. */
  readonly form?: 'origin' | 'host';
}

/** One thing that can be set, by a flag, by an environment variable or in a file. */
export type Setting = TextSetting | NumberSetting | ChoiceSetting | ListSetting;

/** A value for each setting; times are in milliseconds. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly allowHost: readonly string[] | undefined;
  readonly cors: readonly string[] | undefined;
  readonly device: 'auto' | 'cpu' | 'cuda' | 'webgpu';
  readonly profile: string | undefined;
  readonly workers: number | undefined;
  readonly batchSize: number | undefined;
  readonly cacheBytes: number;
  readonly requireSignature: string | undefined;
  readonly index: string | undefined;
  readonly playground: 'page' | 'bundle' | 'webgpu' | 'off';
  readonly mcp: 'on' | 'off';
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
    help: 'names under which it may be called beside localhost, separated by commas, or * (default: none where it listens on this machine only without keys, else any)',
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
    help: 'which stored form of the model: fp32, fp16, int8, int8-basis (default: the first of these that it has)',
  },
  workers: {
    kind: 'integer',
    group: 'Model',
    value: 'n',
    min: 0,
    max: 256,
    help: 'worker threads of each bundle on the CPU; 0 computes in the main thread (default: the cores)',
  },
  batchSize: {
    kind: 'integer',
    group: 'Model',
    value: 'n',
    min: 1,
    max: 4096,
    help: 'the most queries that are computed together (default: 32, on a GPU 128)',
  },
  cacheBytes: {
    kind: 'integer',
    group: 'Model',
    value: 'bytes',
    min: 0,
    max: 2 ** 40,
    fallback: 0,
    help: 'memory in which the sets of parts of queries are kept for later ones',
  },
  requireSignature: {
    kind: 'text',
    group: 'Model',
    value: 'file',
    help: 'refuse a bundle that was not signed with this Ed25519 key (public, PEM)',
  },
  index: {
    kind: 'text',
    group: 'Model',
    value: 'url',
    help: 'the database where answers by the embedding are found, as fuzzqe index push filled it',
  },
  playground: {
    kind: 'choice',
    group: 'Access',
    value: 'what',
    choices: ['page', 'bundle', 'webgpu', 'off'],
    fallback: 'page',
    help: 'what is served at /playground: the page, or bundles as well, so that browsers can answer by themselves, or with them the runtime for WebGPU, or nothing',
  },
  mcp: {
    kind: 'choice',
    group: 'Access',
    value: 'on|off',
    choices: ['on', 'off'],
    fallback: 'off',
    help: 'whether assistants may ask at /mcp, by the Model Context Protocol',
  },
  keys: {
    kind: 'text',
    group: 'Access',
    value: 'file',
    help: 'names and digests of the keys that let requests in, as fuzzqe key makes them',
  },
  rateLimit: {
    kind: 'number',
    group: 'Access',
    value: 'n',
    min: 0.001,
    max: 1_000_000,
    help: 'requests a second for each key, or for each address without keys',
  },
  rateBurst: {
    kind: 'integer',
    group: 'Access',
    value: 'n',
    min: 1,
    max: 1_000_000,
    fallback: 20,
    help: 'requests at once after a pause, where there is a rate limit',
  },
  bodyLimit: {
    kind: 'integer',
    group: 'Limits',
    value: 'bytes',
    min: 1,
    max: 64 * 2 ** 20,
    fallback: 256 * 1024,
    help: 'the largest body of a request',
  },
  maxK: {
    kind: 'integer',
    group: 'Limits',
    value: 'n',
    min: 1,
    max: 10_000_000,
    fallback: 1000,
    help: 'the most answers that a query may ask for',
  },
  costLimit: {
    kind: 'number',
    group: 'Limits',
    value: 'ms',
    min: 0.001,
    max: 86_400_000,
    fallback: 250,
    help: 'how long one core may need for a query, as estimated before; beyond it the answer is 400',
  },
  batchLimit: {
    kind: 'integer',
    group: 'Limits',
    value: 'bytes',
    min: 1,
    max: 2 ** 30,
    fallback: 4 * 2 ** 20,
    help: 'the largest body of a batch of queries',
  },
  batchLines: {
    kind: 'integer',
    group: 'Limits',
    value: 'n',
    min: 1,
    max: 10_000_000,
    fallback: 10_000,
    help: 'the most queries of a batch',
  },
  batchCostLimit: {
    kind: 'number',
    group: 'Limits',
    value: 'ms',
    min: 0.001,
    max: 86_400_000,
    fallback: 120_000,
    help: 'how long one core may need for all queries of a batch; those beyond it are answered 400',
  },
  waitingLimit: {
    kind: 'integer',
    group: 'Limits',
    value: 'n',
    min: 1,
    max: 1_000_000,
    fallback: 512,
    help: 'queries that wait for a worker; the next is answered 429',
  },
  waitingTime: {
    kind: 'number',
    group: 'Limits',
    value: 'ms',
    min: 1,
    max: 86_400_000,
    fallback: 5,
    help: 'how long a query may wait for a worker beyond the next batches; in an overload of more than a second, what would wait longer is answered 429',
  },
  maxConnections: {
    kind: 'integer',
    group: 'Limits',
    value: 'n',
    min: 1,
    max: 1_000_000,
    fallback: 4096,
    help: 'open connections; beyond it the one that waits longest gives way',
  },
  maxInFlight: {
    kind: 'integer',
    group: 'Limits',
    value: 'n',
    min: 1,
    max: 1_000_000,
    fallback: 256,
    help: 'requests under way; the next is answered 429',
  },
  headersTimeout: milliseconds(10_000, 'for all headers of a request', 1),
  requestTimeout: milliseconds(30_000, 'for a whole request with its body', 1),
  keepAliveTimeout: milliseconds(
    75_000,
    'for the next request on a connection; longer than the balancer in front waits',
    1,
  ),
  idleTimeout: milliseconds(120_000, 'for any byte to come or go', 1),
  timeLimit: milliseconds(30_000, 'for a query, which is answered 504 after it; clients may allow less', 1),
  shutdownDelay: milliseconds(0, 'from the signal to end until no more connections are taken'),
  closeNotice: milliseconds(1000, 'in which clients are told to close their connections'),
  drainTimeout: milliseconds(10_000, 'for requests under way at the end'),
  logLevel: {
    kind: 'choice',
    group: 'Observation',
    value: 'level',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    fallback: 'info',
    help: 'the least that is logged; info has one line for each request',
  },
  otlpEndpoint: {
    kind: 'text',
    group: 'Observation',
    value: 'url',
    form: 'collector',
    help: 'the collector that spans of OpenTelemetry go to, OTLP over HTTP, without /v1/traces; its packages are installed separately',
  },
  traceRatio: {
    kind: 'number',
    group: 'Observation',
    value: 'share',
    min: 0,
    max: 1,
    fallback: 1,
    help: 'the share of traces that is kept where the caller has not decided',
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

/** Its bounds and its value when absent, for people. */
export function detailOf(setting: Setting): string {
  const fallback = setting.fallback === undefined ? [] : [`default: ${setting.fallback}`];
  switch (setting.kind) {
    case 'choice':
      return [setting.choices.join(', '), ...fallback].join('; ');
    case 'integer':
    case 'number':
      return [`${setting.min} to ${setting.max}`, ...fallback].join('; ');
    default:
      return fallback.join('; ');
  }
}
