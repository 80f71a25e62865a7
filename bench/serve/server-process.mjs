// A server in a process of its own, and what the system says of it: memory, time of the processor.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;
let cores;

/** Programs that are started from now on run on these processors (`taskset`), as `0,1`, so that clients have others. */
export function runServersOn(list) {
  cores = list;
}

/** Starts a program and waits for a line with the address that it serves: `{port, ready}` beside the process; `talks`: it has messages. */
export async function startProcess(command, args, { pattern, environment = {}, talks = false } = {}) {
  const started = performance.now();
  const pinned = cores === undefined ? [command, ...args] : ['taskset', '-c', cores, command, ...args];
  const child = spawn(pinned[0], pinned.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe', ...(talks ? ['ipc'] : [])],
    env: { ...process.env, ...environment },
  });
  let said = '';
  const exit = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const port = await new Promise((resolve, reject) => {
    const listen = (chunk) => {
      said = `${said}${chunk}`.slice(-100_000);
      const found = pattern.exec(said);
      if (found !== null) resolve(Number(found[1]));
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    void exit.then(({ code }) =>
      reject(new Error(`${command} ${args.join(' ')} ended with ${code}:\n${said}`)),
    );
  });
  return {
    port,
    child,
    pid: child.pid,
    ready: performance.now() - started,
    exit,
    said: () => said,
    signal: (name) => child.kill(name),
    async stop() {
      child.kill('SIGTERM');
      const cut = setTimeout(() => child.kill('SIGKILL'), 20_000);
      const end = await exit;
      clearTimeout(cut);
      return end;
    },
  };
}

/** `fuzzqe serve` of the built command; `probed`: it tells how long its event loop is held. */
export function startServe(bundle, { profile, more = [], probed = false } = {}) {
  const first = probed ? ['--import', new URL('delay-probe.mjs', import.meta.url).href] : [];
  const args = [...first, 'packages/cli/bin/fuzzqe.js', 'serve', bundle, '--port', '0', ...more];
  return startProcess(process.execPath, [...args, ...(profile === undefined ? [] : ['--profile', profile])], {
    pattern: /http:\/\/127\.0\.0\.1:(\d+)/,
    talks: probed,
  });
}

/** A process and its children: time of the processor in milliseconds. */
export function processorTime(pid) {
  let total = 0;
  for (const each of [pid, ...childrenOf(pid)]) {
    try {
      // After the name, which may hold anything, and its bracket.
      const fields = readFileSync(`/proc/${each}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      total += ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
    } catch {}
  }
  return total;
}

/** The time of the main thread of a process in milliseconds, and that of its other threads. */
export function threadTimes(pid) {
  let [main, others] = [0, 0];
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const time = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
      if (Number(thread) === pid) main = time;
      else others += time;
    } catch {}
  }
  return { main, others };
}

/** Its memory and that of its children in MB: `pss` with a share of what is mapped together, `anonymous`. */
export function memoryOf(pid) {
  const sum = { pss: 0, anonymous: 0 };
  for (const each of [pid, ...childrenOf(pid)]) {
    try {
      const text = readFileSync(`/proc/${each}/smaps_rollup`, 'utf8');
      const of = (name) =>
        (Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024) / 1e6;
      sum.pss += of('Pss');
      sum.anonymous += of('Anonymous');
    } catch {}
  }
  return sum;
}

function childrenOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text
      .split(' ')
      .filter(Boolean)
      .flatMap((each) => [Number(each), ...childrenOf(each)]);
  } catch {
    return [];
  }
}

/** Looks at the memory of a process twice a second; gives the most that it saw since it was asked last. */
export function watchMemory(pid) {
  let most = memoryOf(pid);
  const timer = setInterval(() => {
    const now = memoryOf(pid);
    most = { pss: Math.max(most.pss, now.pss), anonymous: Math.max(most.anonymous, now.anonymous) };
  }, 500);
  return {
    most() {
      const seen = most;
      most = memoryOf(pid);
      return seen;
    },
    stop: () => clearInterval(timer),
  };
}
