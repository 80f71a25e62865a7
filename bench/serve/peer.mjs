// The same model, queries and cores served by PyTorch and FAISS behind FastAPI: bench/peers/serve.py.
import { askOnce } from './http-socket.mjs';
import { describeLoad, runLoad } from './load.mjs';
import { ourRequests, peerRequests } from './queries.mjs';
import { processorTime, startProcess, startServe } from './server-process.mjs';

const serving = { pattern: /running on http:\/\/127\.0\.0\.1:(\d+)/i };

/**
 * All take turns; lines of each, and how many times the throughput and the processor's time of the peer ours are. `least`: beside servers that do
 * the least that there is to do (least-server.mjs).
 */
export async function measurePeer({
  bundle,
  engine,
  drawn,
  python,
  profile,
  seconds,
  more,
  least = false,
  rounds = 3,
}) {
  const sets = {
    'the mix': drawn,
    '2i': drawn.filter(({ structure }) => structure === '2i'),
  };
  const peer = await startProcess(python, ['bench/peers/serve.py', bundle, '--workers', '2'], serving);
  const ours = await startServe(bundle, { profile, more });
  const others = [];
  const lines = [];
  const found = [];
  try {
    for (const kind of least ? ['pool', 'local'] : []) {
      const args = ['bench/serve/least-server.mjs', bundle, profile, kind];
      others.push({ name: `least, ${kind}`, server: await startProcess(process.execPath, args, serving) });
    }
    lines.push(await agreement(peer.port, engine, drawn.slice(0, 280)));
    for (const [name, queries] of Object.entries(sets)) {
      const sides = [
        {
          name: 'ours',
          server: ours,
          requests: ourRequests(queries, engine.vocabulary, { modes: ['embedding'] }),
        },
        { name: 'peer', server: peer, requests: peerRequests(queries) },
        ...others.map((each) => ({ ...each, requests: peerRequests(queries) })),
      ];
      const [rates, costs] = [sides.map(() => []), sides.map(() => [])];
      for (let round = 0; round < rounds; round += 1)
        for (const [at, { server, requests }] of sides.entries()) {
          const before = processorTime(server.pid);
          const load = await runLoad({ port: server.port, requests, clients: 64, seconds });
          const time = ((processorTime(server.pid) - before) * seconds) / (seconds + 1);
          rates[at].push(load.milliseconds.length / load.seconds);
          costs[at].push(time / load.milliseconds.length);
          if (round === rounds - 1)
            lines.push(
              `${name}, ${sides[at].name}: ${describeLoad(load)}; ${costs[at].at(-1).toFixed(2)} ms of the processor each`,
            );
        }
      const middle = Math.floor(rounds / 2);
      for (const [at, side] of sides.entries()) {
        if (side.server === peer) continue;
        const ratios = rates[at].map((rate, i) => rate / rates[1][i]).sort((a, b) => a - b);
        const saved = costs[1].map((cost, i) => cost / costs[at][i]).sort((a, b) => a - b);
        if (side.server === ours) found.push({ name, ratio: ratios[middle] });
        const what = side.server === ours ? name : `${name}, ${side.name}`;
        lines.push(
          `${what}, embedding: ${ratios[middle].toFixed(2)} × the peer's throughput at 64 clients (${ratios.map((each) => each.toFixed(2)).join(', ')}), a ${saved[middle].toFixed(2)}th of its processor time`,
        );
      }
    }
  } finally {
    for (const { server } of others) await server.stop();
    await peer.stop();
    await ours.stop();
  }
  return { lines, found };
}

/** How many of our ten best answers the peer has, too: the model is the same. */
async function agreement(port, engine, drawn) {
  const requests = peerRequests(drawn);
  // The port is bound before the workers are there.
  for (let tries = 0; (await askOnce(port, requests[0], 2000)).status !== 200; tries += 1) {
    if (tries === 120) throw new Error('the peer does not answer');
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  let [same, all] = [0, 0];
  for (const [i, { query }] of drawn.entries()) {
    const { body } = await askOnce(port, requests[i]);
    const theirs = new Set(JSON.parse(body).answers.map(({ id }) => id));
    const { answers } = await engine.answer(query, { mode: 'embedding', k: 10 });
    same += answers.filter(({ id }) => theirs.has(id)).length;
    all += answers.length;
  }
  return `the ten best of ${drawn.length} queries: ${((100 * same) / all).toFixed(2)} % the same`;
}
