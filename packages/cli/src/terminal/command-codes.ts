import { exitCodeLines } from './exit-code.ts';

/** Codes with which every command can end. */
const always = [0, 1, 2, 9, 130] as const;

/** Codes of reading a data set or triples, a run, a bundle; of a query; of a runtime, device or port. */
const [query, data, run, bundle, parity, runtime] = [3, 4, 5, 6, 7, 8] as const;

/** The further exit codes of each command, by its full name without `fuzzqe`. */
export const commandCodes: Readonly<Record<string, readonly number[]>> = {
  demo: [data, runtime],
  run: [data, run, parity, runtime, 143],
  refresh: [data, run, parity, runtime, 143],
  'data countries': [data],
  'data import': [data],
  'data peek': [data],
  'data download': [data, runtime],
  'data sample': [query, data],
  'data add-queries': [query, data],
  'data show': [data],
  train: [data, run, runtime, 143],
  'sweep status': [data],
  'sweep best': [data, run],
  devices: [runtime],
  'install-cuda': [runtime],
  ensemble: [data, run],
  calibrate: [data, run],
  import: [data, run],
  export: [data, run, bundle],
  sign: [bundle],
  'new serve': [data, bundle],
  'new worker': [data, bundle],
  'new page': [data, bundle],
  ask: [query, data],
  query: [query, bundle, runtime, 10, 11],
  names: [query, data, bundle],
  schema: [query, data, bundle],
  rules: [query, data, run, bundle],
  evaluate: [query, data, run, bundle],
  reproduce: [data, run, runtime],
  report: [data, run],
  parity: [bundle, parity, runtime],
  laws: [bundle],
  serve: [bundle, runtime, 143],
  mcp: [bundle, runtime, 143],
  playground: [bundle],
  'facts add': [query, data, runtime],
  'facts remove': [query, data, runtime],
  'facts reject': [query, data, runtime],
  'facts label': [query, runtime],
  'facts compact': [data, runtime],
  'facts log': [runtime],
  key: [],
  'index push': [bundle, runtime],
  'index recall': [bundle, runtime],
};

/** The exit codes of a command as its help shows them. */
export function commandCodeHelp(name: string): string {
  return `Exit codes:\n${exitCodeLines([...always, ...(commandCodes[name] ?? [])])}`;
}
