import type { MetricCounts } from '../operations/metrics.ts';

/** What the process that has the others tells one of them. */
export type ToProcess =
  | { readonly fuzzqe: 'stop' }
  | { readonly fuzzqe: 'reload' }
  /** To tell what it has counted. */
  | { readonly fuzzqe: 'count'; readonly id: number }
  /** What all have counted, which it asked for. */
  | { readonly fuzzqe: 'counted'; readonly id: number; readonly all: readonly MetricCounts[] };

/** What one of them tells the process that has it. */
export type FromProcess =
  /** Its bundles are open. */
  | { readonly fuzzqe: 'opened' }
  | { readonly fuzzqe: 'counts'; readonly id: number; readonly counts: MetricCounts }
  /** To tell what all have counted. */
  | { readonly fuzzqe: 'gather'; readonly id: number };

/** Whether a message is one of these: a channel between processes has those of Node and of others, too. */
export function isProcessMessage(value: unknown): value is ToProcess | FromProcess {
  return typeof value === 'object' && value !== null && 'fuzzqe' in value;
}
