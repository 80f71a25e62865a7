export { runCommand } from './run-command.ts';
export { exitCodes } from './terminal/exit-code.ts';
export type { Terminal } from './terminal/terminal.ts';
