export { type CrashState, everyCrash } from './crash-states.ts';
export {
  actualFiles,
  type DiskCall,
  type DiskFailure,
  type FileModule,
  observe,
  observedFiles,
} from './observed-files.ts';
