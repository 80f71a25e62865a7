import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { command, scratchBundle } from './scratch-bundle.ts';

const { scratch, bundle } = scratchBundle('processes');

/** The command by two processes, of one worker each. */
interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  /** The lines of its log. */
  readonly lines: () => readonly Record<string, unknown>[];
  readonly ended: Promise<number | string>;
  /** The processes that serve. */
  readonly serving: () => readonly number[];
}

/** The processes that one started, as Linux tells. */
const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const isRunning = (pid: number): boolean => {
  try {
    // One that has ended and that nobody has waited for runs no more.
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

async function start(path: string, ...flags: readonly string[]): Promise<Running> {
  const args = [command, 'serve', path, '--port', '0', '--processes', '2', '--workers', '1', ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.on('data', (part: Buffer) => {
    text += part.toString();
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const urlIn = (): string | undefined => /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
  await expect.poll(urlIn).toBeDefined();
  const lines = (): Record<string, unknown>[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const serving = (): readonly number[] => childrenOf(child.pid!);
  await expect.poll(serving).toHaveLength(2);
  return { child, url: urlIn()!, lines, ended, serving };
}

/** Asks on a connection of its own. */
const ask = async (url: string): Promise<number> => {
  const response = await fetch(`${url}/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ query: 'project(r0, e1)', k: 3 }),
  });
  await response.arrayBuffer();
  return response.status;
};
const totalOf = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^fuzzqe_http_requests_total\{.*"\/v1\/query",status="200"\} (\d+)$/m.exec(text)?.[1]);
};
const answeredBy = ({ lines }: Running): ReadonlySet<unknown> =>
  new Set(lines().flatMap(({ route, pid }) => (route === '/v1/query' ? [pid] : [])));

describe.skipIf(process.platform !== 'linux')('fuzzqe serve --processes 2', () => {
  it('shares out connections, counts for all, and replaces a process that ends', async () => {
    const running = await start(bundle);
    const { child, url, lines, ended, serving } = running;
    // The second one may not serve yet.
    let asked = 0;
    await expect
      .poll(async () => {
        asked += 1;
        expect(await ask(url)).toBe(200);
        return answeredBy(running).size;
      })
      .toBe(2);
    expect([...answeredBy(running)].sort()).toEqual([...serving()].sort());
    expect(await totalOf(url)).toBe(asked);

    const [first, second] = serving();
    process.kill(second!, 'SIGKILL');
    await expect
      .poll(lines)
      .toContainEqual(expect.objectContaining({ level: 'error', process: second, signal: 'SIGKILL' }));
    await expect.poll(() => lines().at(-1)?.['msg']).toBe('another process serves in its place');
    expect(serving()).toHaveLength(2);
    expect(serving()).toContain(first);
    for (let i = 0; i < 4; i += 1) expect(await ask(url)).toBe(200);
    expect(await totalOf(url)).toBe(asked + 4);

    child.kill('SIGHUP');
    const unchanged = (): readonly unknown[] =>
      lines().filter(({ msg }) => msg === 'no other version is there: it stays as it was');
    await expect.poll(unchanged).toHaveLength(2);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(lines().filter(({ msg }) => msg === 'closing')).toHaveLength(1);
    expect(lines().filter(({ msg }) => msg === 'serving')).toHaveLength(1);
  });

  it('says once what is wrong, with the exit code of that', async () => {
    const altered = join(scratch, 'altered');
    cpSync(bundle, altered, { recursive: true });
    rmSync(join(altered, 'manifest.json'));
    const child = spawn(
      process.execPath,
      [command, 'serve', altered, '--port', '0', '--processes', '3', '--workers', '1'],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let text = '';
    child.stderr.on('data', (part: Buffer) => {
      text += part.toString();
    });
    const [code] = await once(child, 'close');
    expect(text.match(/^fuzzqe: /gm)).toHaveLength(1);
    expect(code).toBe(6);
  });

  it('waits for requests under way, and ends all at once when it is told again', async () => {
    const { child, url, lines, ended, serving } = await start(bundle, '--close-notice', '100000');
    const pids = serving();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    const isCut = once(socket, 'close');
    const head = 'POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Content-Length: 100\r\n\r\n{`);
    await expect
      .poll(async () => (await fetch(`${url}/metrics`)).text())
      .toContain('fuzzqe_http_requests_in_flight 2\n');
    child.kill('SIGTERM');
    await expect.poll(() => lines().at(-1)?.['msg']).toBe('closing');
    await wait(500);
    // The other one had nothing under way.
    expect([child.exitCode, child.signalCode, pids.filter(isRunning).length]).toEqual([null, null, 1]);
    child.kill('SIGTERM');
    expect(await ended).toBe('SIGTERM');
    await isCut;
    await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
  });

  it('leaves no process behind where the one that has the others is killed', async () => {
    const { child, ended, serving } = await start(bundle, '--close-notice', '100');
    const pids = serving();
    child.kill('SIGKILL');
    // Standard error is theirs as well, and closed when the last has ended.
    expect(await ended).toBe('SIGKILL');
    expect(pids.map(isRunning)).toEqual([false, false]);
  });
});
