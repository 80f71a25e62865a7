/** Where a signal has those that hear of it: a WeakMap would hold what is answered (see `createSlots`). */
const hearers: unique symbol = Symbol('hearers');

type HeardSignal = AbortSignal & { [hearers]?: Set<() => void> };

/** Hears when a signal is raised, until what this gives is called; however many do, the signal has one listener of theirs. */
export function hearAbort(signal: HeardSignal, hear: () => void): () => void {
  signal[hearers] ??= hearersOf(signal);
  const all = signal[hearers];
  all.add(hear);
  return () => all.delete(hear);
}

/** None yet, told when the signal is raised. */
function hearersOf(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>();
  signal.addEventListener('abort', () => {
    for (const each of [...all]) each();
  });
  return all;
}
