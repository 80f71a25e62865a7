import { modesOf } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import {
  type AnswerMode,
  createGoldenCheck,
  type OpenBundle,
  type Ranker,
  type RankRequest,
} from '@fuzzqe/engine';
import { keepingOpened } from '../keeping-opened.ts';
import { rankerWith } from '../ranker-with.ts';
import type { WebRuntime } from '../session.ts';

/** A bundle that is open in a worker. */
export interface WorkerBundle {
  readonly bundle: OpenBundle;
  readonly ranker: Ranker;
  /** Resolves with why nothing more is answered: the graphics processor went away, or answers wrongly. */
  readonly lost: Promise<string>;
}

/** Structures with every operator among them: each takes a graphics processor time to prepare. */
const structures = ['2u', 'pin'] as const;

/**
 * A ranker that answers nobody in a mode before the graphics processor has answered golden cases in it: drivers differ, and a
 * wrong answer looks like a right one.
 *
 * @throws FuzzError `parity`, also from `warmUp` and `rank`: it answers wrongly.
 */
export function checkedOnDevice(bundle: OpenBundle, ranker: Ranker, ort: WebRuntime): WorkerBundle {
  let lose: (reason: string) => void = () => undefined;
  const lost = new Promise<string>((resolve) => {
    lose = resolve;
  });
  const checks = new Map<AnswerMode, Promise<void>>();
  const right = new Set<AnswerMode>();
  // Golden cases are of the facts as opened.
  const modes = modesOf(bundle.manifest);
  const kept = keepingOpened(ranker, () => right.size < modes.length);
  const check = async (mode: AnswerMode): Promise<void> => {
    const golden = await createGoldenCheck(bundle, { structures, mode });
    await golden(ranker).catch((error: unknown) => {
      if (isWrong(error)) lose(error.message);
      throw error;
    });
    // The runtime has a device once a graph is open; the library of types knows no devices.
    const device = (await ort.env.webgpu.device) as { readonly lost: Promise<{ readonly message: string }> };
    void device.lost.then(({ message }) => lose(message));
  };
  const checked = async (wanted: Iterable<AnswerMode>): Promise<void> => {
    for (const mode of wanted) {
      const known = checks.get(mode) ?? check(mode);
      checks.set(mode, known);
      try {
        await known;
        right.add(mode);
      } catch (error) {
        // What did not come to an answer is tried again; a wrong one stays wrong.
        if (checks.get(mode) === known && !isWrong(error)) checks.delete(mode);
        throw error;
      }
    }
  };
  return {
    bundle,
    lost,
    ranker: rankerWith(kept, {
      async rank(batch, limits) {
        await checked(new Set(batch.map(modeOf)));
        return ranker.rank(batch, limits);
      },
      async warmUp(mode) {
        await ranker.warmUp(mode);
        await checked(mode === undefined ? modes : [mode]);
      },
    }),
  };
}

function isWrong(error: unknown): error is FuzzError {
  return error instanceof FuzzError && error.code === 'parity';
}

function modeOf({ task }: RankRequest): AnswerMode {
  return task === 'embedding' || task === 'embed' ? 'embedding' : 'sets';
}
