
const [what, ...rest] = process.argv.slice(2);
process.argv.splice(2, 1);
if (what === 'push') {
  const { openEngine } = await import('@fuzzqe/engine');
  const { pushIndex } = await import('@fuzzqe/entity-index');
  const { folderSource, nodeSessions } = await import('@fuzzqe/serve');
  const engine = await openEngine({ source: folderSource(rest[0]), sessions: nodeSessions(rest[0]) });
  const t = performance.now();
  console.log(await pushIndex(engine, rest[1]), (performance.now() - t) / 1000, process.cpuUsage());
  await engine.close();
} else await import('./sets-by-index.mjs');
