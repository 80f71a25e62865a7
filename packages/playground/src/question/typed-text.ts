import { batch, effect, type ReadonlySignal, signal } from '@preact/signals';

/** How long typing pauses before it is read, in milliseconds. */
const pause = 300;

/** A text that stands for something and may be typed as well: each follows the other. */
export interface TypedText {
  /** What the field shows. */
  readonly text: ReadonlySignal<string>;
  /** The last text that was written or could be read. */
  readonly written: ReadonlySignal<string>;
  /** Why the text cannot be read, or not be written. */
  readonly fault: ReadonlySignal<unknown>;
  /** Whether something is typed that is not read. */
  readonly isUnread: ReadonlySignal<boolean>;
  /** Takes a text as it is typed, and reads it once typing pauses. */
  type(text: string): void;
  /** Reads a text now. */
  take(text: string): Promise<boolean>;
  /** Reads now what is typed and was not tried yet; returns whether nothing is wrong with it. */
  settle(): Promise<boolean>;
  /** Tries again what went wrong. */
  again(): void;
  close(): void;
}

/** What a typed text stands for. */
export interface TypedTextOptions<Value> {
  readonly value: ReadonlySignal<Value>;
  readonly write: (value: Value) => Promise<string>;
  /** Reads a text; returns what makes it the value. What it throws is shown. */
  readonly read: (text: string, value: Value) => Promise<() => void>;
  /** Whether a change is no reason to lose what is being typed. Default: no change is. */
  readonly isMinor?: (before: Value, after: Value) => boolean;
  /** What is typed to begin with. */
  readonly first?: string | undefined;
}

/** Writes a value as text, and reads what is typed instead. */
export function createTypedText<Value>(options: TypedTextOptions<Value>): TypedText {
  const { value, write, read, isMinor = () => false, first } = options;
  const text = signal(first ?? '');
  const written = signal(first ?? '');
  const fault = signal<unknown>(undefined);
  const isUnread = signal(first !== undefined);
  /** Counts texts: what is read or written later than something newer is not wanted. */
  let turn = 0;
  /** What the text stands for, or did before something unfinished was typed. */
  let standing: Value | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether what is typed waits to be read, or is being read. */
  let isPending = false;
  const begin = (): (() => boolean) => {
    clearTimeout(timer);
    isPending = false;
    turn += 1;
    const own = turn;
    return () => own === turn;
  };
  /** Shows a text that waits to be read. */
  const beginReading = (typed: string): (() => boolean) => {
    const isWanted = begin();
    isPending = true;
    batch(() => {
      text.value = typed;
      isUnread.value = true;
    });
    return isWanted;
  };
  const show = (current: Value): void => {
    const isWanted = begin();
    const end = (wrote: string, error?: unknown): void => {
      if (!isWanted()) return;
      batch(() => {
        text.value = wrote;
        written.value = wrote;
        fault.value = error;
      });
    };
    isUnread.value = false;
    write(current).then(end, (error: unknown) => end('', error));
  };
  const take = async (typed: string): Promise<boolean> => {
    const isWanted = beginReading(typed);
    try {
      const apply = await read(typed, value.peek());
      if (!isWanted()) return false;
      batch(() => {
        fault.value = undefined;
        isUnread.value = false;
        written.value = typed;
        apply();
        standing = value.peek();
      });
      return true;
    } catch (error) {
      if (isWanted()) fault.value = error;
      return false;
    } finally {
      if (isWanted()) isPending = false;
    }
  };
  if (first !== undefined) {
    standing = value.peek();
    void take(first);
  }
  const stop = effect(() => {
    const current = value.value;
    if (current === standing) return;
    const before = standing;
    standing = current;
    if (before === undefined || !isUnread.peek() || !isMinor(before, current)) show(current);
  });
  return {
    text,
    written,
    fault,
    isUnread,
    type(typed) {
      beginReading(typed);
      timer = setTimeout(() => void take(typed), pause);
    },
    take,
    settle: async () => !isPending || take(text.peek()),
    again() {
      fault.value = undefined;
      if (isUnread.peek()) void take(text.peek());
      else show(value.peek());
    },
    close() {
      begin();
      stop();
    },
  };
}
