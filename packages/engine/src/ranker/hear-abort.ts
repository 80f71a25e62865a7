/** Where a signal has those that hear of it: a WeakMap would hold what is answered (see `createSlots`). */
const hearers: unique symbol = Symbol('hearers');

/** Hears when a signal is raised, until what this gives is called; however many do, the signal has one listener of theirs. */
export function hearAbort(
  signal: AbortSignal & { [hearers]?: Set<() => void> },
  hear: () => void,
): () => void {
  let all = signal[hearers];
  if (all === undefined) {
    const own = new Set<() => void>();
    signal.addEventListener('abort', () => {
      for (const each of [...own]) each();
    });
    signal[hearers] = own;
    all = own;
  }
  const own = all;
  own.add(hear);
  return () => own.delete(hear);
}
