import { type DeviceName, type DeviceReport, deviceNames, formatBytes, probeDevice } from '@fuzzqe/train';
import type { NextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { textWidth } from '../terminal/text-width.ts';

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
    if (!json) describeDevice(report, terminal.columns).forEach(terminal.out);
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

/** What a device is, or why it is not there and how to get it, in lines of at most `columns`. */
export function describeDevice(
  { device, available, reason, hint, wrong, ...report }: DeviceReport,
  columns: number,
): string[] {
  const begin = device.padEnd(nameWidth);
  const indent = ' '.repeat(nameWidth + 5);
  const wrapped = (text: string): string[] => wrap(text, columns - indent.length);
  const under = (state: string, lines: readonly string[]): string[] =>
    lines.map((line, i) => `${i === 0 ? `${begin}${state.padEnd(5)}` : indent}${line}`.trimEnd());
  if (!available)
    return under('no', [...wrapped(reason ?? ''), ...(hint === undefined ? [] : wrapped(hint))]);
  const { adapter, software, limits, gemm } = report;
  const { memoryBytes, bufferBytes } = limits;
  const facts = [
    ...(wrong === undefined ? [] : [`WRONG: ${wrong}`]),
    ...(adapter === undefined ? [] : [`${adapter}${software ? ' (software: never chosen by auto)' : ''}`]),
    ...(memoryBytes === undefined ? [] : [formatBytes(memoryBytes)]),
    ...(bufferBytes === undefined ? [] : [`${formatBytes(bufferBytes)} a tensor`]),
    ...(gemm === undefined ? [] : [`${Number(gemm.gflops.toPrecision(3))} GFLOP/s`]),
  ];
  return under('yes', wrapped(facts.join(', ')));
}

/** Lines of at most `width`, broken at spaces; a longer word has a line of its own. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const longer = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`;
    if (textWidth(longer) <= width || lines.at(-1) === '') lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
