import {
  type Feed,
  type Feeds,
  type RunnableStep,
  stateShape,
  stateShapes,
  type TrainingSession,
  type TrainingState,
} from './training-runtime.ts';

/** One tensor in this process's memory. */
export interface HostTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** A state in this process's memory: what a program reads of it, and where its results go. */
export interface HostState extends Pick<TrainingSession, 'read' | 'view' | 'write'> {
  /**
   * A parameter of the program as it is now.
   *
   * @throws FuzzError `shape`: the step has no state of this name.
   */
  parameter(name: string): HostTensor;
  /** Where an output of the program belongs; nowhere where it is not part of the state. */
  output(name: string): HostTensor | undefined;
  /** Once all outputs of a step are there, `others` those that have no place of their own: they become the state. */
  advance(feeds: Feeds, others: Readonly<Record<string, Feed['data']>>): void;
}

/**
 * A state in two copies: a step reads one and writes `next.<name>` to the other, then they change places.
 *
 * @throws FuzzError `shape`: `state` does not fit the step.
 */
export function createHostState(step: RunnableStep, state: TrainingState): HostState {
  const shapes = stateShapes(step, state);
  const slots = new Map<string, { now: Float32Array; next: Float32Array }>();
  for (const name of shapes.keys()) {
    const now = Float32Array.from(state[name]!);
    slots.set(name, { now, next: new Float32Array(now.length) });
  }
  const tensor = (name: string, which: 'now' | 'next'): HostTensor => ({
    shape: stateShape(shapes, name),
    data: slots.get(name)![which],
  });
  return {
    parameter: (name) => tensor(name, 'now'),
    output: (name) => (name.startsWith('next.') ? tensor(name.slice('next.'.length), 'next') : undefined),
    advance() {
      for (const each of slots.values()) [each.now, each.next] = [each.next, each.now];
    },
    read: async (name) => Float32Array.from(tensor(name, 'now').data),
    write: async (name, data) => tensor(name, 'now').data.set(data),
  };
}
