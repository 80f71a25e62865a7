import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEventFile } from './event-file.ts';
import type { LogEntry } from './log-entry.ts';
import { crc32c } from './tensorboard/tf-record.ts';

/** A protobuf field as it stands in the bytes: its number and its value, bytes where it has a length. */
type RawField = readonly [number, number | Uint8Array];

/** Reads the fields of a message, knowing nothing of what they mean. */
function fieldsOf(bytes: Uint8Array): RawField[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const fields: RawField[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(value);
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const [number, type] = [key >>> 3, key & 7];
    const start = at;
    if (type === 0) {
      fields.push([number, varint()]);
    } else if (type === 2) {
      const length = varint();
      fields.push([number, bytes.subarray(at, at + length)]);
      at += length;
    } else if (type === 1) {
      at += 8;
      fields.push([number, view.getFloat64(start, true)]);
    } else {
      expect(type).toBe(5);
      at += 4;
      fields.push([number, view.getFloat32(start, true)]);
    }
  }
  return fields;
}

/** CRC-32C bit by bit, from the definition. */
function slowCrc(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes)
    for (let bit = 0; bit < 8; bit += 1) {
      const carry = ((crc ^ (byte >>> bit)) & 1) === 1;
      crc = carry ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Takes a TFRecord file apart, checking both checksums of every record. */
function recordsOf(file: Uint8Array): Uint8Array[] {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const unmasked = (at: number): number => {
    const rotated = (view.getUint32(at, true) - 0xa282ead8) >>> 0;
    return ((rotated << 15) | (rotated >>> 17)) >>> 0;
  };
  const records: Uint8Array[] = [];
  for (let at = 0; at < file.length; ) {
    const length = Number(view.getBigUint64(at, true));
    expect(unmasked(at + 8)).toBe(slowCrc(file.subarray(at, at + 8)));
    const data = file.subarray(at + 12, at + 12 + length);
    expect(unmasked(at + 12 + length)).toBe(slowCrc(data));
    records.push(data);
    at += 16 + length;
  }
  return records;
}

const text = (value: number | Uint8Array | undefined): string =>
  new TextDecoder().decode(value as Uint8Array);
const within = (fields: readonly RawField[], number: number): RawField[] =>
  fieldsOf(fields.find(([found]) => found === number)![1] as Uint8Array);

/** The scalars of an event: its step, and each tag with its value. */
function scalarsOf(record: Uint8Array): [number, Record<string, number>] {
  const event = fieldsOf(record);
  const values = within(event, 5).map(([, value]) => {
    const [tag, number] = fieldsOf(value as Uint8Array);
    return [text(tag![1]), number![1] as number];
  });
  return [event[1]![1] as number, Object.fromEntries(values) as Record<string, number>];
}

const train: LogEntry = {
  kind: 'train',
  step: 10,
  loss: 2.5,
  learningRate: 0.125,
  temperature: 20,
  stepsPerSecond: 64,
  seconds: 1,
  time: 1_700_000_000.25,
};
const validation: LogEntry = {
  kind: 'validation',
  step: 5_000_000_000,
  mrr: 0.25,
  structures: { '1p': 0.5, pni: 0.0625 },
  seconds: 2,
  time: 1_700_000_001,
};

describe('CRC-32C', () => {
  it('gives the published check values', () => {
    expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
    // RFC 3720, appendix B.4.
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
  });
});

describe('an event file', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fuzzqe-events-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));
  const records = async (): Promise<Uint8Array[]> => {
    const [name, ...others] = (await readdir(directory)).filter((each) => each.startsWith('events.'));
    expect(others).toEqual([]);
    return recordsOf(new Uint8Array(await readFile(join(directory, name!))));
  };

  it('holds version, start, configuration and every entry of the log', async () => {
    const content = { time: 1_700_000_000, config: { steps: 3 }, entries: [train] };
    const file = await openEventFile(directory, content);
    await file.append(validation);
    await file.close();
    const [version, start, config, first, second, ...rest] = await records();
    expect(rest).toEqual([]);
    expect(fieldsOf(version!)).toEqual([
      [1, train.time],
      [2, 0],
      [3, new TextEncoder().encode('brain.Event:2')],
    ]);
    expect(within(fieldsOf(start!), 7)).toEqual([[1, 1]]);
    const value = within(within(fieldsOf(config!), 5), 1);
    expect(text(value[0]![1])).toBe('config');
    expect(text(within(value, 8)[2]![1])).toBe('    {\n      "steps": 3\n    }');
    expect(text(within(within(value, 9), 1)[0]![1])).toBe('text');
    expect(scalarsOf(first!)).toEqual([
      10,
      {
        'training/loss': 2.5,
        'training/learning rate': 0.125,
        'training/temperature': 20,
        'training/steps per second': 64,
      },
    ]);
    expect(scalarsOf(second!)).toEqual([
      5_000_000_000,
      {
        'validation/mean MRR': 0.25,
        'validation by structure/1p': 0.5,
        'validation by structure/pni': 0.0625,
      },
    ]);
  });

  it('replaces the file of an interrupted run, cut off as it may be, and no file of others', async () => {
    const older = await openEventFile(directory, { time: 1_600_000_000, config: {}, entries: [train] });
    await older.close();
    const [name] = await readdir(directory);
    await truncate(join(directory, name!), 50);
    await writeFile(join(directory, 'notes.txt'), 'mine');
    const file = await openEventFile(directory, { time: 1_700_000_000, config: {}, entries: [] });
    await file.close();
    expect(await records()).toHaveLength(3);
    expect(await readdir(directory)).toContain('notes.txt');
  });
});
