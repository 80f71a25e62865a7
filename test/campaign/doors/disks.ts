import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import fc from 'fast-check';
import type { Door } from '../door.ts';
import { commandFile, fewQueries, runProcess, smallWork } from './command-process.ts';

/** A file system of its own for one command, gone with it: needs user namespaces, which some machines refuse. */
const ownMounts = ['--map-root-user', '--mount', '--kill-child', 'sh', '-c'];

/** Whether a file system can be mounted for one command. */
export const canMount: boolean =
  spawnSync('unshare', [...ownMounts, 'mount -t tmpfs none /mnt']).status === 0;

/** Commands that write, by what they are given: the data set and run that are there, and the disk to write to. */
const commands: readonly ((data: string, run: string, disk: string) => readonly string[])[] = [
  (data, _, disk) => ['data', 'import', join(data, '../facts.tsv'), '--out', join(disk, 'data')],
  (_, __, disk) => ['data', 'countries', '--out', join(disk, 'deep/er/data')],
  (_, __, disk) => ['data', 'sample', join(disk, 'copied'), '--replace', ...fewQueries],
  (data, _, disk) => [
    'train',
    data,
    '--out',
    join(disk, 'run'),
    '--config',
    join(data, '../config.json'),
    '--threads',
    '1',
  ],
  (data, run, disk) => [
    'export',
    run,
    '--data',
    data,
    '--out',
    join(disk, 'bundle'),
    '--queries',
    '0',
    '--threads',
    '1',
  ],
];

/** What a disk is like: its room in KiB, and whether anything may be written. */
const disks = fc.record({
  command: fc.integer({ min: 0, max: commands.length - 1 }),
  room: fc.oneof(fc.integer({ min: 4, max: 64 }), fc.integer({ min: 64, max: 4000 })),
  kind: fc.constantFrom('room', 'room', 'room', 'read-only', 'file'),
});

/** Disks that are full, read-only or hold a file where a folder should be. */
export const diskDoors: readonly Door[] = canMount
  ? [
      {
        name: 'disks',
        description: 'commands that write, on disks that are small, read-only or have a file in the way',
        ending: '.json',
        inputs: disks.map((disk) => new TextEncoder().encode(JSON.stringify(disk))),
        refusals: ['storage', 'usage', 'checkpoint'],
        seconds: 120,
        open: async (root) => {
          const { data, run: trained } = await smallWork(root);
          const disk = join(root, 'disk');
          mkdirSync(disk);
          return {
            async attempt(input) {
              const { command, room, kind } = JSON.parse(new TextDecoder().decode(input)) as {
                readonly command: number;
                readonly room: number;
                readonly kind: string;
              };
              const args = commands[command % commands.length]!(data, trained, disk);
              // The data set that a command changes lies on the disk before it becomes read-only.
              const script = [
                `mount -t tmpfs -o size=${Math.max(room, 4)}k none "$1"`,
                `cp -r "$2" "$1/copied" 2>/dev/null`,
                kind === 'read-only' ? 'mount -o remount,ro "$1"' : ':',
                kind === 'file' ? 'for f in data deep run bundle; do echo x >"$1/$f"; done 2>/dev/null' : ':',
                'shift 2; exec "$@"',
              ].join('; ');
              const { code, errors } = await runProcess('unshare', [
                ...[...ownMounts, script, 'sh', disk, data, process.execPath, commandFile, ...args],
              ]);
              assert.doesNotMatch(
                errors,
                /\n\s+at |a defect of this program/,
                `${args.join(' ')}\n${errors}`,
              );
              if (code === 0) return;
              // A copy of the data set that had no room is a data set that is damaged.
              const codes = args[1] === 'sample' ? [2, 4, 9] : kind === 'file' ? [2, 9] : [9];
              assert.ok(
                codes.includes(code ?? -1),
                `exit code ${code}: ${args.join(' ')} ${kind} ${room}\n${errors}`,
              );
              assert.match(errors, /^fuzzqe: /m, `${args.join(' ')}\n${errors}`);
              throw new FuzzError('storage', errors.trim());
            },
          };
        },
      },
    ]
  : [];
