import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** A server of PostgreSQL in a folder of its own, which can be stopped and started. */
export interface PostgresServer {
  readonly url: string;
  start(): void;
  /** `immediate` is as a crash: nothing is written any more. */
  stop(how: 'fast' | 'immediate'): void;
  remove(): void;
}

/** PostgreSQL does not run as root. */
const nobody = 65534;

/** Makes a server by the programs in a folder; `nobody` needs a password, all others get in. */
export async function createPostgresServer(programs: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-postgres-'));
  const data = join(folder, 'data');
  chmodSync(folder, 0o755);
  mkdirSync(data);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(data, nobody, nobody);
  const run = (program: string, ...args: string[]): void => {
    const [first, ...rest] = [
      ...(isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : []),
      join(programs, program),
      ...args,
    ];
    // The server keeps what it is given for its output.
    execFileSync(first!, rest, { stdio: 'ignore', cwd: folder });
  };
  run('initdb', '-D', data, '-U', 'postgres', '--auth=trust');
  writeFileSync(
    join(data, 'pg_hba.conf'),
    'host all nobody 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n',
  );
  const port = await freePort();
  const server: PostgresServer = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start: () =>
      run(
        'pg_ctl',
        '-D',
        data,
        '-l',
        join(data, 'log'),
        '-w',
        '-o',
        `-p ${port} -k ${data} -c listen_addresses=127.0.0.1`,
        'start',
      ),
    stop: (how) => run('pg_ctl', '-D', data, '-m', how, '-w', 'stop'),
    remove() {
      try {
        server.stop('immediate');
      } catch {
        // It was stopped.
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return server;
}
