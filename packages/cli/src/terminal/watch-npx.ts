/** What is watched, which tests replace. */
export interface WatchedStart {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly parent?: () => number;
  /** Milliseconds. */
  readonly every?: number;
}

/**
 * Calls `end` once if npx started this command and ends without it; returns what stops watching.
 *
 * npx runs a command through a shell, and passes SIGTERM to that shell. Shells such as dash end without a word to the command, which would go on under
 * another parent. A command that was started in another way is not watched: it may outlive its parent on purpose.
 */
export function watchNpx(
  end: () => void,
  { environment = process.env, parent = () => process.ppid, every = 500 }: WatchedStart = {},
): () => void {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = environment;
  if (event !== 'npx' || !/^["']?fuzzqe["']?$/.test(script)) return () => undefined;
  const first = parent();
  const timer = setInterval(() => {
    if (parent() === first) return;
    clearInterval(timer);
    end();
  }, every).unref();
  return () => clearInterval(timer);
}
