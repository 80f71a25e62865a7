import type { Terminal } from './terminal.ts';
import { shorten, textWidth } from './text-width.ts';

/** Shows how far a long piece of work is. */
export interface Progress {
  /** `done` of the total, with a few words on how it goes; `secondsLeft` is the most that the work may still take. */
  update(done: number, total: number, detail?: string, secondsLeft?: number): void;
  /** Ends it with one line that stays. */
  finish(line: string): void;
}

/** How often the line is drawn for a person, and how often a line is written to a file, in milliseconds. */
const drawEvery = 100;
const writeEvery = 10_000;
/** Columns that stay free: terminals write `^C` behind the line, and what then breaks cannot be cleared. */
const reserve = 3;

/**
 * A bar with rate and time left on a terminal; a plain line every ten seconds elsewhere.
 *
 * `unit` names what is counted: `steps`, `queries`.
 */
export function createProgress(
  terminal: Terminal,
  title: string,
  unit: string,
  now: () => number = Date.now,
): Progress {
  let last = terminal.live ? 0 : now();
  // What was done before, by an earlier run that this one goes on from, is not to its credit.
  let begun: { readonly done: number; readonly time: number } | undefined;
  return {
    update(done, total, detail = '', secondsLeft = Number.POSITIVE_INFINITY) {
      const time = now();
      begun ??= { done, time };
      if (time - last < (terminal.live ? drawEvery : writeEvery)) return;
      last = time;
      const seconds = (time - begun.time) / 1000;
      const rate = (done - begun.done) / Math.max(seconds, 1e-3);
      const atMost = rate > 0 ? Math.min((total - done) / rate, secondsLeft) : secondsLeft;
      const left = Number.isFinite(atMost) ? formatSeconds(atMost) : '?';
      const figures = `${done}/${total} ${unit}  ${formatRate(rate)} ${unit}/s  ${left} left${detail === '' ? '' : `  ${detail}`}`;
      if (!terminal.live) {
        terminal.note(`${title}: ${figures}`);
        return;
      }
      const room = terminal.columns - reserve - textWidth(`${title}  ${figures}`);
      const width = room < 4 ? 0 : Math.min(24, room);
      const filled = Math.round((width * done) / Math.max(1, total));
      const bar = width === 0 ? '' : `${'█'.repeat(filled)}${'░'.repeat(width - filled)} `;
      terminal.status(shorten(`${title} ${bar}${figures}`, terminal.columns - reserve));
    },
    finish(line) {
      terminal.status('');
      terminal.note(line);
    },
  };
}

/** The same for work that comes under several titles, one after the other. */
export function createNamedProgress(
  terminal: Terminal,
): (title: string, unit: string, done: number, total: number) => void {
  const shown = new Map<string, Progress>();
  return (title, unit, done, total) => {
    const progress = shown.get(title) ?? createProgress(terminal, title, unit);
    shown.set(title, progress);
    progress.update(done, total);
  };
}

/** The same for bytes, counted in megabytes: what readers and downloads report to. */
export function createByteProgress(terminal: Terminal, title: string): (done: number, total: number) => void {
  const progress = createProgress(terminal, title, 'MB');
  const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
  return (done, total) => progress.update(megabytes(done), megabytes(total));
}

/** `1 min 20 s`, `8 s`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

function formatRate(rate: number): string {
  return rate >= 100 ? rate.toFixed(0) : rate.toFixed(1);
}
