import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What stands between. */
export interface Proxy {
  readonly port: number;
  /** Ends all connections, and takes no new ones until it is mended. */
  cut(): void;
  /** Connections stay, and nothing comes through them any more, nor through new ones until it is mended. */
  silence(): void;
  mend(): void;
  close(): void;
}

/** Passes connections on until it is closed, as a network that goes away or falls silent. */
export async function createProxy(to: { readonly host: string; readonly port: number }): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let [open, isSilent] = [true, false];
  const server = createServer((client) => {
    if (!open) {
      client.destroy();
      return;
    }
    const database = connect(to);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
      if (isSilent) socket.unpipe(other).resume();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port, // of a server that listens on a port
    cut() {
      open = false;
      for (const socket of sockets) socket.destroy();
    },
    silence() {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().resume();
    },
    mend() {
      [open, isSilent] = [true, false];
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
