// How long a training step takes on each device: 256 × 1p and 256 × 2p on a graph of FB15k-237's size, 128 negatives
// for each query, AdamW on everything.
//
//   npm run build && node bench/devices.mjs [--device cpu,webgpu,cuda,tfjs:wasm] [--config small,medium,paper]
//                                           [--seconds 10] [--threads N] [--tf32] [--software] [--json]
//
// Prints a Markdown table: medians, matrix products alone counted as work, beside the same device's own rate for square
// matrices in the same process. Devices that are absent, and steps that do not fit, are listed with the reason. On a
// machine with an NVIDIA GPU: node bench/devices.mjs --device cpu,webgpu,cuda
import { fork, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import {
  deviceNames,
  expectFit,
  formatBytes,
  gemmRate,
  openDevice,
  probeDevice,
  sampleSizes,
  sampleStep,
  stepCost,
  stepTime,
} from '@fuzzqe/train';

if (process.send !== undefined) {
  process.once('message', async (job) => {
    const result = await measure(job).catch((error) => ({ reason: String(error).split('\n', 1)[0] }));
    process.send(result, () => process.exit(0));
  });
} else await main();

async function main() {
  const { values } = parseArgs({
    options: {
      device: { type: 'string', default: deviceNames.filter((name) => name !== 'tfjs:cpu').join(',') },
      config: { type: 'string', default: Object.keys(sampleSizes).join(',') },
      seconds: { type: 'string', default: '10' },
      threads: { type: 'string', default: String(Math.min(4, availableParallelism())) },
      timeout: { type: 'string', default: '600' },
      tf32: { type: 'boolean', default: false },
      software: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const options = { threads: Number(values.threads), tf32: values.tf32 };
  const rows = [];
  const left = [];
  for (const device of values.device.split(',')) {
    const report = await probeDevice(device, options);
    const reason = report.available
      ? (report.wrong ?? (report.software && !values.software ? `${report.adapter} is software` : undefined))
      : report.reason;
    if (reason !== undefined) {
      left.push(`${device}: ${reason}`);
      continue;
    }
    for (const config of values.config.split(',')) {
      console.error(`${device}, ${config} …`);
      const job = { device, config, options, seconds: Number(values.seconds), limits: report.limits };
      const row = await inProcess(job, Number(values.timeout));
      if (row.reason !== undefined) left.push(`${device}, ${config}: ${row.reason}`);
      else rows.push({ device, adapter: report.adapter, config, ...row });
    }
  }
  if (values.json) {
    console.log(JSON.stringify({ rows, left }));
    return;
  }
  console.log('| device | step | ms | steps/h | GFLOP/s | of square matrices | share | memory |');
  console.log('|---|---|---:|---:|---:|---:|---:|---:|');
  for (const { device, adapter, config, ms, gflops, gemm, memory } of rows)
    console.log(
      `| ${device}, ${adapter ?? 'unknown'} | ${config} | ${ms.toFixed(1)} | ${Math.round(3.6e6 / ms)} | ${gflops.toFixed(1)} | ${gemm.toFixed(0)} | ${((100 * gflops) / gemm).toFixed(0)} % | ${memory} |`,
    );
  if (left.length > 0) console.log(`\nLeft out: ${left.join('; ')}.`);
}

/** Each measurement has a process of its own: memory is then its own, and a crash ends nothing else. */
function inProcess(job, timeout) {
  return new Promise((settle) => {
    const child = fork(process.argv[1], { stdio: ['ignore', 'inherit', 'ignore', 'ipc'] });
    let result;
    const timer = setTimeout(() => child.kill('SIGKILL'), 1000 * timeout);
    child.on('message', (message) => {
      result = message;
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      settle(
        result ?? {
          reason: signal === 'SIGKILL' ? `no answer in ${timeout} s` : `ended with ${signal ?? code}`,
        },
      );
    });
    child.send(job);
  });
}

async function measure({ device, config, options, seconds, limits }) {
  const sample = await sampleStep(sampleSizes[config]);
  const cost = stepCost(sample.step, device, sample.source.feeds(0));
  expectFit(device, limits, cost);
  const runtime = openDevice(device, options);
  const stopWatching = watchGraphicsMemory();
  const { milliseconds: ms } = await stepTime(runtime, sample, seconds);
  const graphics = await stopWatching();
  const { maxRSS } = process.resourceUsage();
  const { gflops: gemm } = await gemmRate(runtime, 2);
  const memory =
    graphics > 0 ? `${formatBytes(graphics)} on the GPU` : `${formatBytes(maxRSS * 1024)} of the process`;
  return { ms, gflops: cost.matmulFlop / ms / 1e6, gemm, memory, matmulFlop: cost.matmulFlop };
}

/** Watches the bytes in use on an NVIDIA GPU, by everyone, from another process, since steps block this one. Stopped, it gives how much they rose; 0 where there is none. */
function watchGraphicsMemory() {
  const watcher = spawn(
    'nvidia-smi',
    ['--query-gpu=memory.used', '--format=csv,noheader,nounits', '--loop-ms=100'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  let text = '';
  watcher.stdout.on('data', (part) => {
    text += part;
  });
  const ended = new Promise((settle) => {
    watcher.on('error', settle);
    watcher.on('close', settle);
  });
  return async () => {
    watcher.kill();
    await ended;
    const seen = text.split('\n').filter(Boolean).map(Number);
    return seen.length === 0 ? 0 : (Math.max(...seen) - seen[0]) * 2 ** 20;
  };
}
