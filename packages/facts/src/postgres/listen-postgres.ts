import type { ConnectionOptions, PostgresConnection, PostgresDriver } from './postgres-driver.ts';

/** Milliseconds before a connection that broke is made again. */
const again = 2000;

/**
 * Listens to notifications of a channel, each an epoch, by a connection of its own, which is made again if it breaks.
 *
 * @returns a function that ends it.
 */
export function listenPostgres(
  { Client }: PostgresDriver,
  options: ConnectionOptions,
  channel: string,
  hint: (epoch: number) => void,
): () => void {
  let isOn = true;
  let client: PostgresConnection | undefined;
  let timer: NodeJS.Timeout | undefined;
  const connect = async (): Promise<void> => {
    const opened = new Client(options);
    client = opened;
    let isGone = false;
    const retry = (): void => {
      if (isGone) return;
      isGone = true;
      void opened.end().catch(() => {});
      if (isOn) timer = setTimeout(() => void connect(), again).unref();
    };
    opened.on('error', retry);
    opened.on('end', retry);
    opened.on('notification', ({ payload }) => hint(Number(payload)));
    try {
      await opened.connect();
      await opened.query(`LISTEN "${channel}"`);
      // What came before.
      hint(Number.POSITIVE_INFINITY);
    } catch {
      retry();
    }
    if (!isOn) retry();
  };
  void connect();
  return () => {
    isOn = false;
    clearTimeout(timer);
    void client?.end().catch(() => {});
  };
}
