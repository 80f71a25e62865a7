/** What is watched, and how. */
export interface WatchOptions {
  /** Milliseconds between two looks. */
  readonly every: number;
  /** Looks once. What it throws passes, or shows at the next append. */
  look(): Promise<void>;
  /** Asks for a look as soon as there is something to see. The result ends it. */
  listen(hint: () => void): (() => void) | undefined;
}

/** Looks again and again, while it is started. */
export interface Watch {
  start(): void;
  stop(): void;
}

/** Looks at the start, then at each hint and each interval; looks never overlap. */
export function createWatch({ every, look, listen }: WatchOptions): Watch {
  let stop: (() => void) | undefined;
  const begin = (): (() => void) => {
    let isOn = true;
    let isLooking = false;
    let isHinted = false;
    let timer: NodeJS.Timeout | undefined;
    const lookOnce = async (): Promise<void> => {
      isHinted = true;
      if (isLooking) return;
      isLooking = true;
      clearTimeout(timer);
      while (isHinted && isOn) {
        isHinted = false;
        await look().catch(() => {});
      }
      isLooking = false;
      // A watch alone keeps no process alive.
      if (isOn) timer = setTimeout(() => void lookOnce(), every).unref();
    };
    const silence = listen(() => void lookOnce());
    void lookOnce();
    return () => {
      isOn = false;
      clearTimeout(timer);
      silence?.();
    };
  };
  return {
    start() {
      stop ??= begin();
    },
    stop() {
      stop?.();
      stop = undefined;
    },
  };
}
