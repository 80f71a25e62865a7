const immediate: unknown = Reflect.get(globalThis, 'setImmediate');

/** Does work in a turn of the event loop of its own, once what has come in is read: immediates of Node run after it, timers elsewhere. */
export const nextTurn: (work: () => void) => void =
  typeof immediate === 'function'
    ? (work) => {
        immediate(work);
      }
    : (work) => {
        setTimeout(work, 0);
      };
