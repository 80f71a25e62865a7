import type { Engine } from '@fuzzqe/engine';

/** A request to an endpoint. */
export interface WorstRequest {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

export function worstRequests(
  engine: Pick<Engine, 'vocabulary' | 'facts' | 'costOf'>,
): readonly WorstRequest[];
