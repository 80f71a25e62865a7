// Clients in C that ask again at once, whatever they got: `h2load` of nghttp2 (Debian: nghttp2-client), which leaves the server the processor.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describeLoad, quantile, runLoad } from './load.mjs';

/** The numbers of `h2load`'s report: responses by class of status, and the time of a request. */
function readReport(text) {
  const statuses = /status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx/.exec(text);
  const errored = /requests: .*?(\d+) errored/.exec(text);
  if (statuses === null || errored === null) throw new Error(`h2load: no report in\n${text.slice(-2000)}`);
  const [ok, , client, server] = statuses.slice(1).map(Number);
  return { ok, client, server, errored: Number(errored[1]) };
}

/** So many connections, each with one request under way, and a client at 400/s beside them, whose answers say what others wait. */
export async function flood({ port, requests }, { clients, seconds }) {
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-flood-'));
  try {
    const body = join(folder, 'body.json');
    const text = requests[3].toString();
    await writeFile(body, text.slice(text.indexOf('\r\n\r\n') + 4));
    const beside = runLoad({ port, requests, rate: 400, seconds, warmUp: 4, seed: 2 });
    await setTimeout(1000);
    const time = seconds + 2;
    const report = await run([
      ...['--h1', '-t', '1', '-m', '1', '-c', String(clients), '-D', String(time), '--warm-up-time', '2'],
      ...['-d', body, '-H', 'content-type: application/json', `http://127.0.0.1:${port}/v1/query`],
    ]);
    const load = await beside;
    const found = readReport(report);
    const p99 = quantile(load.sinceSent, 0.99);
    return {
      ...found,
      p99,
      line: `${(found.ok / time).toFixed(0)}/s answered, ${(found.client / time).toFixed(0)}/s refused, ${found.server} × 5xx, ${found.errored} errors; beside it ${describeLoad(load)}`,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn('h2load', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    child.once('error', (error) => reject(new Error(`h2load: ${error.message}; install nghttp2-client`)));
    child.once('exit', (code) =>
      code === 0 ? resolve(said) : reject(new Error(`h2load ended with ${code}:\n${said}`)),
    );
  });
}
