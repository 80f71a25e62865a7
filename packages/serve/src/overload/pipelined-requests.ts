import type { Connection } from './connection.ts';

/** Requests of all connections together that are worked on at once, of those that were sent before the answer to another. */
const pipelinedAtOnce = 4;

/** Where requests wait that were sent before the answer to another, so that clients with thousands of them leave room for others. */
export interface PipelinedRequests {
  /** Lets a connection wait whose next request came before the answer. */
  enter(connection: Connection): void;
  /** Leaves its place to the next, once its request is answered. */
  leave(connection: Connection): void;
}

/** A lane that reads on connections in their order, a few at once. */
export function createPipelinedRequests(readOn: (connection: Connection) => void): PipelinedRequests {
  const waiting: Connection[] = [];
  let underWay = 0;
  const fill = (): void => {
    while (underWay < pipelinedAtOnce) {
      const connection = waiting.shift();
      if (connection === undefined) return;
      underWay += 1;
      connection.inLane = true;
      setImmediate(() => {
        readOn(connection);
        // What was unread was not a whole head of a request, or nobody waits any more.
        if (connection.current === undefined || connection.socket.destroyed) leave(connection);
      });
    }
  };
  const leave = (connection: Connection): void => {
    if (!connection.inLane) return;
    connection.inLane = false;
    underWay -= 1;
    fill();
  };
  return {
    enter(connection) {
      waiting.push(connection);
      fill();
    },
    leave,
  };
}
