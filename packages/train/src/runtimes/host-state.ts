import {
  type RunnableStep,
  stateShape,
  stateShapes,
  type TrainingSession,
  type TrainingState,
} from './training-runtime.ts';

/** A state tensor in two buffers: a step reads one and writes the other, then they change places. */
export interface StateSlot {
  readonly shape: readonly number[];
  now: Float32Array;
  next: Float32Array;
}

/** A state in this process's memory. */
export interface HostState extends Pick<TrainingSession, 'read' | 'write'> {
  /** Throws: 'shape' where the step has no state of this name. */
  slot(name: string): StateSlot;
  /** What was written by a step becomes the state. */
  swap(): void;
}

/** A copy of `state`. Throws: 'shape' where it does not fit the step. */
export function createHostState(step: RunnableStep, state: TrainingState): HostState {
  const shapes = stateShapes(step, state);
  const slots = new Map<string, StateSlot>();
  for (const [name, shape] of shapes) {
    const now = Float32Array.from(state[name]!);
    slots.set(name, { shape, now, next: new Float32Array(now.length) });
  }
  const slot = (name: string): StateSlot => {
    stateShape(shapes, name);
    return slots.get(name)!;
  };
  return {
    slot,
    swap() {
      for (const each of slots.values()) [each.now, each.next] = [each.next, each.now];
    },
    read: async (name) => Float32Array.from(slot(name).now),
    write: async (name, data) => slot(name).now.set(data),
  };
}
