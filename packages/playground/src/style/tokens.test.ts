import { readFileSync } from 'node:fs';
import { pageMark, pageStyle, pageTokens } from '@fuzzqe/core/text';
import { describe, expect, it } from 'vitest';

/** The custom properties of a style sheet, those of the dark scheme apart. */
function tokensOf(css: string): readonly [light: Map<string, string>, dark: Map<string, string>] {
  const text = css.replace(/\/\*[\s\S]*?\*\//g, '');
  const dark = text.indexOf('@media');
  const read = (part: string): Map<string, string> =>
    new Map(
      [...part.matchAll(/(--[\w-]+):([^;}]+)/g)].map(([, name, value]) => [
        name!,
        value!.trim().replaceAll(/\s+/g, ' '),
      ]),
    );
  return [read(text.slice(0, dark)), read(text.slice(dark))];
}

/** The luminance of `#rrggbb`, as WCAG 2 defines it. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

describe('the style that all pages share', () => {
  it.each(['./icon.svg', '../../../../examples/page/icon.svg'])('has its mark in %s', (file) => {
    expect(readFileSync(new URL(file, import.meta.url), 'utf8').trim()).toBe(pageMark);
  });

  it('has the same tokens in the playground as in reports', () => {
    const [light, dark] = tokensOf(pageTokens);
    const [ownLight, ownDark] = tokensOf(readFileSync(new URL('./tokens.css', import.meta.url), 'utf8'));
    expect(Object.fromEntries(ownLight)).toEqual(Object.fromEntries(light));
    expect(Object.fromEntries(ownDark)).toEqual(Object.fromEntries(dark));
  });

  it.each(['light', 'dark'])('can be read in the %s scheme', (scheme) => {
    const tokens = tokensOf(pageTokens)[scheme === 'light' ? 0 : 1];
    expect(tokens.size).toBeGreaterThan(10);
    for (const text of [
      '--ink',
      '--ink-soft',
      '--ink-faint',
      '--accent',
      '--recovered',
      '--new',
      '--negative',
    ])
      for (const ground of ['--surface', '--paper', '--sunken'])
        expect(
          contrast(tokens.get(text)!, tokens.get(ground)!),
          `${text} on ${ground}`,
        ).toBeGreaterThanOrEqual(4.5);
    expect(contrast(tokens.get('--on-accent')!, tokens.get('--accent')!)).toBeGreaterThanOrEqual(4.5);
    expect(contrast('#777777', '#888888')).toBeLessThan(4.5);
  });

  it('uses no token that there is not, and fetches nothing', () => {
    const [light] = tokensOf(pageTokens);
    const used = [...pageStyle.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name!);
    expect(used.filter((name) => !light.has(name))).toEqual([]);
    expect(pageStyle).not.toMatch(/url\(|@import|<\/style/);
  });
});
