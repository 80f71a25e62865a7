import { type DeviceName, type DeviceReport, deviceNames, formatBytes, probeDevice } from '@fuzzqe/train';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe devices` was told. */
export interface DevicesFlags {
  readonly threads: number;
  readonly seconds: number;
  readonly json?: boolean;
}

/** Does `fuzzqe devices`. */
export async function listDevices(
  terminal: Terminal,
  wanted: readonly DeviceName[],
  { threads, seconds, json }: DevicesFlags,
): Promise<NextCommand> {
  const reports: DeviceReport[] = [];
  for (const device of wanted) {
    if (terminal.live) terminal.status(`Looking at ${device} …`);
    const report = await probeDevice(device, { threads, gemmSeconds: seconds });
    reports.push(report);
    if (!json) describe(report).forEach(terminal.out);
  }
  if (terminal.live) terminal.status('');
  if (json) terminal.out(JSON.stringify(reports));
  const rate = ({ available, software, gemm }: DeviceReport): number =>
    available && software !== true ? (gemm?.gflops ?? 0) : -1;
  const [best] = [...reports].sort((a, b) => rate(b) - rate(a));
  const device = best === undefined || rate(best) < 0 ? 'cpu' : best.device;
  return ['train', 'DATA', '--out', 'RUN', '--device', device];
}

const nameWidth = Math.max(...deviceNames.map((name: DeviceName) => name.length)) + 2;

/** A line on a device, and one on how to get it where it is not there. */
function describe({ device, available, reason, hint, wrong, ...report }: DeviceReport): string[] {
  const begin = device.padEnd(nameWidth);
  if (!available)
    return [
      `${begin}no   ${reason ?? ''}`,
      ...(hint === undefined ? [] : [`${' '.repeat(nameWidth)}     ${hint}`]),
    ];
  const { adapter, software, limits, gemm } = report;
  const { memoryBytes, bufferBytes } = limits;
  const facts = [
    ...(wrong === undefined ? [] : [`WRONG: ${wrong}`]),
    ...(adapter === undefined ? [] : [`${adapter}${software ? ' (software: never chosen by auto)' : ''}`]),
    ...(memoryBytes === undefined ? [] : [formatBytes(memoryBytes)]),
    ...(bufferBytes === undefined ? [] : [`${formatBytes(bufferBytes)} a tensor`]),
    ...(gemm === undefined ? [] : [`${Number(gemm.gflops.toPrecision(3))} GFLOP/s`]),
  ];
  return [`${begin}yes  ${facts.join(', ')}`];
}
