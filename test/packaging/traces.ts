import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** What a process did beside its work. */
export interface Traces {
  readonly code: number | string;
  readonly said: string;
  /** The files in its home afterwards, without its working folder. */
  readonly files: readonly string[];
  /** Packets that it sent or tried to send, it or what it started; undefined where this user cannot take the network away. */
  readonly packets: { readonly toThisMachine: number; readonly elsewhere: number } | undefined;
}

/** How to run it. */
export interface TracedOptions {
  /** The working folder. Default: one of its own. */
  readonly cwd?: string;
  /** Beside PATH and the folders of an empty home. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Ends it, with SIGTERM, so many milliseconds after it has printed `until`. */
  readonly stop?: { readonly until: RegExp; readonly after: number };
}

/** Runs what its arguments say in the background of a shell, so that the counters can be read when it has ended. */
const script = `ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null
"$@" & child=$!
trap 'kill -TERM $child' TERM
while wait $child; code=$?; [ $code -gt 128 ] && kill -0 $child 2>/dev/null; do :; done
cat /proc/net/snmp /proc/net/snmp6 /proc/net/dev >&3
exit $code`;

/**
 * Runs Node in a home of its own and, where the system allows it, in a network that leads nowhere, in which the kernel counts
 * what anybody tries to send: JavaScript or native code, for however short a time.
 */
export async function traced(
  scratch: string,
  args: readonly string[],
  { cwd, environment = {}, stop }: TracedOptions = {},
): Promise<Traces> {
  const home = mkdtempSync(join(scratch, 'home-'));
  const folders = Object.fromEntries(
    ['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'].map((name) => {
      mkdirSync(join(home, name));
      return [name, join(home, name)];
    }),
  );
  const isolated = (await canIsolate())
    ? ['unshare', '--net', '--map-root-user', 'sh', '-c', script, 'sh']
    : [];
  const [program, ...rest] = [...isolated, process.execPath, ...args];
  const child = spawn(program!, rest, {
    cwd: cwd ?? mkdtempSync(join(scratch, 'work-')),
    env: { PATH: process.env['PATH'] ?? '', HOME: home, ...folders, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let [said, counters, stopping] = ['', '', false];
  const hear = (part: Buffer): void => {
    said += part.toString();
    if (stopping || stop === undefined || !stop.until.test(said)) return;
    stopping = true;
    setTimeout(() => child.kill('SIGTERM'), stop.after);
  };
  const [, out, errors, third] = child.stdio as readonly (Readable | null)[]; // pipes, as asked for above
  out?.on('data', hear);
  errors?.on('data', hear);
  third?.on('data', (part: Buffer) => {
    counters += part.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name);
  return { code: code ?? signal ?? 'unknown', said, files, packets: packetsOf(counters) };
}

/** What the loopback carried, and what there was no way to send. */
function packetsOf(counters: string): Traces['packets'] {
  if (counters === '') return undefined;
  const [names = [], values = []] = [...counters.matchAll(/^Ip: (.*)$/gm)].map(([, row]) => row!.split(' '));
  const unsent = Number(values[names.indexOf('OutNoRoutes')]);
  const unsent6 = Number(/^Ip6OutNoRoutes\s+(\d+)/m.exec(counters)?.[1] ?? 0);
  const loopback = Number(/^\s*lo:(?:\s*\d+\s){9}\s*(\d+)/m.exec(counters)?.[1]);
  return { toThisMachine: loopback, elsewhere: unsent + unsent6 };
}

let isolation: Promise<boolean> | undefined;

/** Whether this user may make a network namespace. */
export function canIsolate(): Promise<boolean> {
  isolation ??= (async () => {
    if (!existsSync('/proc/net/snmp')) return false;
    const child = spawn('unshare', ['--net', '--map-root-user', 'true'], { stdio: 'ignore' });
    return once(child, 'close').then(
      ([code]) => code === 0,
      () => false,
    );
  })();
  return isolation;
}
