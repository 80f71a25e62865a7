import { setTimeout as wait } from 'node:timers/promises';
import { FuzzError } from '@fuzzqe/core';
import fc from 'fast-check';
import type { Door, OpenDoor } from './door.ts';
import { type DoorTask, runDoorProcess } from './door-process.ts';

/** Which input a faulty door fails for: inputs are numbered by their one byte. */
const culprit = 2;

/** A door that takes every input but the one that is its fault. */
function faulty(name: string, fault: () => unknown, seconds = 60): Door {
  let next = 0;
  return {
    name,
    description: 'for the test of the campaign',
    inputs: fc.constant(Uint8Array.of(255)),
    ending: '.bin',
    refusals: ['data'],
    seconds,
    mebibytes: 400,
    async open(folder): Promise<OpenDoor> {
      // The folder about it is named after the first input of its process.
      next = Number(/(\d+)\Wdoor$/.exec(folder)?.[1]);
      return {
        async attempt([kept]) {
          const index = kept === 255 ? next++ : kept;
          if (index === culprit) await fault();
        },
      };
    },
  };
}

const blocks: Buffer[] = [];
const texts: unknown[] = [];

/** Doors that break one invariant each, and one that holds them. */
export const faults: readonly Door[] = [
  faulty('holds', () => {
    throw new FuzzError('data', 'no');
  }),
  faulty('throws', () => {
    throw new TypeError('this is a defect');
  }),
  faulty('refuses-wrongly', () => {
    throw new FuzzError('runtime', 'no');
  }),
  faulty('speaks-without-end', () => {
    const error = new FuzzError('data', 'no');
    error.message = 'x'.repeat(10_000);
    throw error;
  }),
  faulty('rejects-later', () => {
    void Promise.reject(new Error('later'));
  }),
  faulty(
    'hangs',
    () => {
      for (;;);
    },
    3,
  ),
  faulty('waits', () => new Promise(() => setInterval(() => {}, 1000)), 3),
  faulty('exits', () => process.exit(3)),
  faulty('grows', () => {
    for (let i = 0; i < 64; i++) blocks.push(Buffer.alloc(8 << 20, 1));
  }),
  faulty('overflows', () => {
    for (;;) texts.push(Array.from({ length: 1000 }, () => ({ a: Math.random() })));
  }),
  {
    ...faulty('exits-among-others', () => process.exit(3)),
    parallel: 3,
    async open(folder) {
      const { attempt } = await faulty('', () => process.exit(3)).open(folder);
      return {
        async attempt(input, place) {
          const mine = attempt(input, place);
          // The others are inside, too, when it ends.
          await wait(20);
          await mine;
        },
      };
    },
  },
];

const [task] = process.argv.slice(2);
if (task?.startsWith('{"door"')) await runDoorProcess(faults, JSON.parse(task) as DoorTask);
