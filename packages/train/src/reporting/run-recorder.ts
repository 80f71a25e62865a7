import type { TrainingConfig } from '../config.ts';
import type { LearnedQuantities } from '../loss/loss.ts';
import { openEventFile } from './event-file.ts';
import type { LogEntry, Validation } from './log-entry.ts';
import { openRunLog } from './run-log.ts';

/** Steps since the last entry of the log: what the next one is the mean of. */
export interface LogWindow {
  readonly steps: number;
  /** Sum of their losses. */
  readonly loss: number;
}

/** Writes down how a run goes, for people and for TensorBoard. */
export interface RunRecorder {
  /** What a checkpoint at this moment must keep, so that a resumed run's log is that of an uninterrupted one. */
  readonly window: LogWindow;
  onStep(at: {
    readonly step: number;
    /** Steps of the run. */
    readonly steps: number;
    readonly loss: number;
    readonly learningRate: number;
    learned?(): Promise<LearnedQuantities>;
  }): Promise<void>;
  onValidation(step: number, found: Validation): Promise<void>;
  /** Returns when the log is on the disk. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Where a run goes on from, and what it writes. */
export interface RecorderOptions {
  readonly directory: string;
  readonly config: TrainingConfig;
  /** Steps trained before. */
  readonly step: number;
  readonly window?: LogWindow | undefined;
}

/** Steps in an entry of the log: enough to smooth the loss, few enough to see it move. */
const windowSteps = 10;

/**
 * Opens the log and the event file of a run.
 *
 * @throws FuzzError `checkpoint`: an older log is damaged.
 */
export async function openRunRecorder(options: RecorderOptions): Promise<RunRecorder> {
  const { directory, config, step: from } = options;
  const log = await openRunLog(directory, from);
  const events = await openEventFile(directory, { time: now(), config, entries: log.entries });
  const before = log.entries.at(-1)?.seconds ?? 0;
  const start = performance.now();
  const seconds = (): number => rounded(before + (performance.now() - start) / 1000);
  let window = options.window ?? { steps: 0, loss: 0 };
  let windowStart = start;
  let stepsHere = 0;

  const append = async (entry: LogEntry): Promise<void> => {
    await log.append(entry);
    await events.append(entry);
  };
  return {
    get window() {
      return window;
    },
    async onStep({ step, steps, loss, learningRate, learned }) {
      window = { steps: window.steps + 1, loss: window.loss + loss };
      stepsHere += 1;
      // A window ends with every validation, too, because that is where a run may be resumed from.
      const hasEnded = [windowSteps, config.validation.every].some(
        (every) => Math.floor(step / every) > Math.floor((step - window.steps) / every),
      );
      // Of several steps at once the last one alone can say what was learned: a window waits for it.
      if (learned === undefined || (!hasEnded && step !== steps)) return;
      await append({
        kind: 'train',
        step,
        loss: window.loss / window.steps,
        learningRate,
        ...(await learned()),
        stepsPerSecond: rounded(stepsHere / Math.max(1e-6, (performance.now() - windowStart) / 1000)),
        seconds: seconds(),
        time: now(),
      });
      window = { steps: 0, loss: 0 };
      stepsHere = 0;
      windowStart = performance.now();
    },
    async onValidation(step, { mrr, structures }) {
      await append({ kind: 'validation', step, mrr, structures, seconds: seconds(), time: now() });
      windowStart = performance.now();
    },
    flush: () => log.flush(),
    async close() {
      await log.close();
      await events.close();
    },
  };
}

/** Unix time in seconds. */
function now(): number {
  return rounded(Date.now() / 1000);
}

/** To milliseconds: what is below is noise. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
