/** Says whether a client may send a request now. */
export interface RateLimit {
  /** 0 where it may, else in how many seconds. */
  secondsToWait(client: string): number;
}

/** How many requests a client may send. */
export interface RateLimitOptions {
  /** Requests a second, over time. */
  readonly perSecond: number;
  /** How many at once after a pause. */
  readonly burst: number;
  /** Milliseconds of any clock that only goes forwards. */
  readonly now?: () => number;
}

/** Clients that are remembered; those that came back longest ago are forgotten. */
const mostClients = 10_000;

/** A token bucket for each client: `tokens = min(burst, tokens + elapsed · perSecond)`, and each request takes one. */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { perSecond, burst, now = () => performance.now() } = options;
  const buckets = new Map<string, { readonly tokens: number; readonly at: number }>();
  return {
    secondsToWait(client) {
      const at = now();
      const last = buckets.get(client) ?? { tokens: burst, at };
      const tokens = Math.min(burst, last.tokens + ((at - last.at) / 1000) * perSecond);
      buckets.delete(client);
      buckets.set(client, { tokens: tokens >= 1 ? tokens - 1 : tokens, at });
      const [oldest] = buckets.keys();
      if (buckets.size > mostClients && oldest !== undefined) buckets.delete(oldest);
      return tokens >= 1 ? 0 : (1 - tokens) / perSecond;
    },
  };
}
