import { type DeviceName, type DeviceReport, deviceNames, formatBytes, probeDevice } from '@fuzzqe/train';
import type { Command } from 'commander';
import type { Terminal } from '../terminal/terminal.ts';
import { namesOutOf, wholeNumber } from './options.ts';
import { defaultThreads } from './train.ts';

/** Adds `fuzzqe devices`. */
export function addDevicesCommand(program: Command, terminal: Terminal): void {
  program
    .command('devices [names]')
    .description('the devices that can train here: what they are, how fast they multiply, or why they cannot')
    .option('--threads <n>', 'threads of the CPU', wholeNumber(1, 256), defaultThreads())
    .option('--seconds <n>', 'for how long each multiplies matrices; 0 does not', wholeNumber(0, 60), 2)
    .option('--json', 'print what was found as JSON')
    .addHelpText('after', '\nExamples:\n  fuzzqe devices\n  fuzzqe devices webgpu,cuda --json')
    .action(async (names: string | undefined, { threads, seconds, json }: DevicesFlags) => {
      const wanted = names === undefined ? deviceNames : namesOutOf(names, deviceNames, 'device');
      const reports: DeviceReport[] = [];
      for (const device of wanted) {
        if (terminal.live) terminal.status(`Looking at ${device} …`);
        const report = await probeDevice(device, { threads, gemmSeconds: seconds });
        reports.push(report);
        if (!json) describe(report).forEach(terminal.out);
      }
      if (terminal.live) terminal.status('');
      if (json) terminal.out(JSON.stringify(reports));
    });
}

interface DevicesFlags {
  readonly threads: number;
  readonly seconds: number;
  readonly json?: boolean;
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
