export { changeableElsewhere } from '@fuzzqe/engine';
export { openOverlay } from './open-overlay.ts';
