export type { Environment } from './environment.ts';
export type { LogEntry, TrainEntry, ValidationEntry } from './log-entry.ts';
export { readRunLog } from './run-log.ts';
