export { type Preset, presets } from './configs/preset.ts';
export { trainingSchema } from './configs/training-schema.ts';
export { runCommand } from './run-command.ts';
export { exitCodes } from './terminal/exit-code.ts';
export type { Terminal } from './terminal/terminal.ts';
