export type { PatternAnswer, PatternOptions, PatternRow } from '@fuzzqe/engine';
export { type Graph, type OpenOptions, open } from './open/open.ts';
export { runCommand } from './run-command.ts';
export { exitCodes } from './terminal/exit-code.ts';
export type { Terminal } from './terminal/terminal.ts';
