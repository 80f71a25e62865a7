import type { Env, Hono } from 'hono';
import { HonoBase } from 'hono/hono-base';
import { TrieRouter } from 'hono/router/trie-router';

/** An application or a part of one, with one of Hono's routers, as others are a third of it in a Worker. */
export function createRoutes<E extends Env>(): Hono<E> {
  // What `hono` exports adds the choice of the router alone.
  return new HonoBase<E>({ router: new TrieRouter() }) as Hono<E>;
}
