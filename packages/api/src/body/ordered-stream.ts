/** How items become a stream of text. */
export interface OrderedStreamOptions<T> {
  /** How many items are worked on at once. */
  readonly atOnce: number;
  /** Gives what tells the text of one item, which is asked for in the order of the items; never rejects. */
  readonly work: (item: T) => Promise<() => string>;
  /** The text that says why no more items could be read. */
  readonly onReadError: (error: unknown) => string;
  /** Called once, when all was sent or the reader has gone away. */
  readonly onEnd: () => void;
}

/**
 * Works on items as they come and streams what becomes of them in their order.
 *
 * Items are read ahead, so that a client which reads nothing before it has sent all of them is not waited for; work stops
 * while nobody reads.
 */
export function orderedStream<T>(
  items: AsyncIterable<T>,
  options: OrderedStreamOptions<T>,
): ReadableStream<Uint8Array> {
  const { atOnce, work, onReadError, onEnd } = options;
  const encoder = new TextEncoder();
  const waiting: T[] = [];
  const running: { text?: () => string }[] = [];
  let lastText = '';
  let [reading, ended] = [true, false];
  let wake = (): void => undefined;

  const start = (): void => {
    while (!ended && running.length < atOnce && waiting.length > 0) {
      const slot: (typeof running)[number] = {};
      running.push(slot);
      // The list is not empty.
      work(waiting.shift() as T).then((text) => {
        slot.text = text;
        wake();
      });
    }
  };
  const read = async (): Promise<void> => {
    try {
      for await (const item of items) {
        if (ended) return;
        waiting.push(item);
        start();
      }
    } catch (error) {
      lastText = onReadError(error);
    } finally {
      reading = false;
      wake();
    }
  };
  const finished = (): string => {
    let text = '';
    for (let first = running[0]; first?.text !== undefined; first = running[0]) {
      text += first.text();
      running.shift();
    }
    start();
    return text;
  };
  const end = (): void => {
    if (ended) return;
    ended = true;
    waiting.length = 0;
    onEnd();
  };
  return new ReadableStream<Uint8Array>(
    {
      start() {
        void read();
      },
      async pull(controller) {
        for (;;) {
          const text = finished();
          const over = !reading && running.length === 0;
          const more = over ? text + lastText : text;
          if (more !== '') controller.enqueue(encoder.encode(more));
          if (over) {
            controller.close();
            end();
          }
          if (over || more !== '') return;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
