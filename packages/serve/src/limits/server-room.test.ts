import { describe, expect, it } from 'vitest';
import { type Machine, serverRoom } from './server-room.ts';

const machine: Machine = { cores: 8, totalBytes: 2 ** 34, cpus: undefined, memoryBytes: undefined };
const unset = { workers: undefined, modelBytes: undefined };

describe('the room of a server', () => {
  it('is a worker for each core and half of the memory, where nothing limits it', () => {
    expect(serverRoom(unset, machine)).toEqual({
      workers: 8,
      workersBy: 'cores',
      modelBytes: 2 ** 33,
      modelBytesBy: 'memory',
    });
  });

  it.each([
    [{ cpus: 1.5 }, 2, 'cpu quota'],
    [{ cpus: 0.5 }, 1, 'cpu quota'],
    [{ cpus: 16 }, 8, 'cores'],
    [{ memoryBytes: 2 ** 29 }, 4, 'memory'],
    [{ memoryBytes: 2 ** 25 }, 1, 'memory'],
    [{ memoryBytes: 2 ** 29, cpus: 3 }, 3, 'cpu quota'],
  ] as const)('has with %o a number of workers that says what limits it', (limits, workers, workersBy) => {
    expect(serverRoom(unset, { ...machine, ...limits })).toMatchObject({ workers, workersBy });
  });

  it('is half of the memory limit, and of the memory where the limit is above it', () => {
    expect(serverRoom(unset, { ...machine, memoryBytes: 2 ** 30 })).toMatchObject({
      modelBytes: 2 ** 29,
      modelBytesBy: 'memory limit',
    });
    expect(serverRoom(unset, { ...machine, memoryBytes: 2 ** 40 })).toMatchObject({
      modelBytes: 2 ** 33,
      modelBytesBy: 'memory',
    });
  });

  it('is what the settings say, whatever the machine has', () => {
    const given = { workers: 32, modelBytes: 1000 };
    expect(serverRoom(given, { ...machine, cpus: 1, memoryBytes: 2 ** 25 })).toEqual({
      workers: 32,
      workersBy: 'setting',
      modelBytes: 1000,
      modelBytesBy: 'setting',
    });
  });
});
