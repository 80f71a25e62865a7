import type { Drift, NextLink } from '../sources/judging.ts';

/** What a verdict on a link teaches, and why, in words. */
export function teachingWords({ degree, teaches, relation }: NextLink): string {
  const entropy = -(degree * Math.log2(degree) + (1 - degree) * Math.log2(1 - degree));
  // teaches = entropy / (1 + judged).
  const judged = Math.round(entropy / teaches) - 1;
  const much = teaches >= 0.6 ? 'much' : teaches >= 0.2 ? 'something' : 'little';
  const sureness =
    entropy >= 0.8 ? 'the model is unsure' : entropy >= 0.4 ? 'the model leans' : 'the model is nearly sure';
  const links = judged === 0 ? 'no link' : judged === 1 ? 'one link' : `${judged} links`;
  return `A verdict teaches ${much}: ${sureness}, and ${links} of “${relation.label}” ${judged > 1 ? 'are' : 'is'} judged.`;
}

/** Fewer links say little of a model, whatever their spread. */
const enough = 10;

/** How far what the model says is from what people found, in words. */
export function driftWords({ accepted, rejected, said, found, spread }: Drift): string {
  const count = accepted + rejected;
  if (count === 0) return 'No link is judged yet.';
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const links = count === 1 ? '1 judged link' : `${count} judged links`;
  const begin = `Of ${links}, the model said ${percent(said)} on average; ${percent(found)} were accepted.`;
  if (count < enough) return `${begin} Fewer than ${enough} links say little of the model.`;
  // Two standard deviations: chance alone goes further one time in twenty.
  const chance = `up to ${percent(Math.min(1, 2 * spread))}`;
  return Math.abs(found - said) <= 2 * spread
    ? `${begin} Chance alone makes a difference of ${chance}.`
    : `${begin} Chance alone makes ${chance}: the model says too ${said > found ? 'much' : 'little'}.`;
}
