export { type DeltaOptions, deltaFacts } from './delta-facts.ts';
export {
  type DeltaBucket,
  type DeltaNamespace,
  type DeltaPlace,
  kvDelta,
  type PlacedDelta,
  r2Delta,
} from './delta-place.ts';
export type { EdgeFacts } from './edge-facts.ts';
