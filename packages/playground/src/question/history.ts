/** States of something that is edited, one of which is shown. */
export interface History<State> {
  readonly past: readonly State[];
  readonly present: State;
  readonly future: readonly State[];
}

/** How many states can be gone back to. */
const longest = 200;

/** A history that begins. */
export function createHistory<State>(present: State): History<State> {
  return { past: [], present, future: [] };
}

/** The history after an edit, which ends what was undone; one that changes nothing is no edit. */
export function edit<State>(history: History<State>, present: State): History<State> {
  if (present === history.present) return history;
  return { past: [...history.past, history.present].slice(-longest), present, future: [] };
}

/** The history with the last edit undone; itself where there is none. */
export function undo<State>(history: History<State>): History<State> {
  const { past, present, future } = history;
  if (past.length === 0) return history;
  return { past: past.slice(0, -1), present: past.at(-1)!, future: [present, ...future] };
}

/** The history with what was undone last done again; itself where there is nothing. */
export function redo<State>({ past, present, future }: History<State>): History<State> {
  const [next, ...later] = future;
  if (next === undefined) return { past, present, future };
  return { past: [...past, present], present: next, future: later };
}
