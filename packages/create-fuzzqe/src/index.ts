export { createProject, type ProjectOptions } from './create-project.ts';
export { createExitCodes, runCreate } from './run-create.ts';
