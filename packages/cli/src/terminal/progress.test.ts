import { describe, expect, it } from 'vitest';
import { createProgress } from './progress.ts';

/** What is written, with a clock that the test turns. */
function written(): {
  lines: string[];
  at: (seconds: number) => void;
  progress: ReturnType<typeof createProgress>;
} {
  const lines: string[] = [];
  let time = 0;
  const terminal = {
    out: () => undefined,
    note: (line: string) => void lines.push(line),
    status: () => undefined,
    live: false,
    columns: 80,
  };
  const progress = createProgress(terminal, 'Downloading', 'MB', () => time);
  const at = (seconds: number): void => {
    time = 1000 * seconds;
  };
  return { lines, at, progress };
}

describe('progress', () => {
  it('counts the rate from where it began, and not from zero', () => {
    const { lines, at, progress } = written();
    at(1);
    progress.update(900, 1300);
    at(21);
    progress.update(940, 1300);
    expect(lines).toEqual(['Downloading: 940/1300 MB  2.0 MB/s  3 min 0 s left']);
  });

  it('never says more than what a limit leaves, also before there is a rate', () => {
    const { lines, at, progress } = written();
    at(11);
    progress.update(0, 1000, '', 60);
    at(22);
    progress.update(11, 1000, '', 49);
    at(33);
    progress.update(900, 1000, '', 38);
    expect(lines.map((line) => /(\S+ \S+(?: \S+ \S+)?) left/.exec(line)?.[1])).toEqual([
      '1 min 0 s',
      '49 s',
      '2 s',
    ]);
  });

  it('writes a line every ten seconds where nobody watches', () => {
    const { lines, at, progress } = written();
    for (let second = 0; second <= 30; second += 1) {
      at(second);
      progress.update(second, 60);
    }
    expect(lines).toHaveLength(3);
    progress.finish('done');
    expect(lines.at(-1)).toBe('done');
  });

  it('fits the line of a person, with a bar where there is room for one', () => {
    for (const [columns, bar] of [
      [80, true],
      [50, false],
      [30, false],
    ] as const) {
      const shown: string[] = [];
      const terminal = { out: () => {}, note: () => {}, status: (line: string) => void shown.push(line) };
      let time = 1000;
      const progress = createProgress({ ...terminal, live: true, columns }, 'Training', 'steps', () => time);
      progress.update(1_000, 3_000, 'loss 1.5');
      time += 5000;
      progress.update(1_700, 3_000, 'loss 1.5');
      expect(shown).toHaveLength(2);
      for (const line of shown) expect(line.length + '^C'.length).toBeLessThan(columns);
      expect(shown[1]!.includes('█')).toBe(bar);
      expect(shown[1]).toContain('1700/3000');
    }
  });
});
