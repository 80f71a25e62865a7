import { FuzzError } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/model';
import { measuringWriter } from '../files/folder-writer.ts';
import { writeGraphs } from '../files/graph-files.ts';
import { type ProfileName, profileNames } from '../profiles/profile.ts';
import { profiles } from '../profiles/profiles.ts';
import type { ExportTarget } from '../targets/target.ts';
import { weightsLayout } from '../weights/weights-writer.ts';

/** How many bytes the graphs and weights of a profile take; golden cases come on top. */
export async function profileSize(
  config: ModelConfig,
  name: ProfileName,
  { combined, codes }: Pick<ExportTarget, 'combined' | 'codes'>,
): Promise<number> {
  const profile = profiles[name];
  const layout = weightsLayout(profile, config, codes);
  const writer = measuringWriter();
  await writeGraphs(writer, config, profile.model(config, codes), { profile: name, layout, combined });
  return Object.values(writer.files).reduce((sum, { bytes }) => sum + bytes, layout.size);
}

/** What a bundle takes, and what it may. */
export interface SizeLimit {
  readonly maxBytes: number;
  readonly chosen: readonly ProfileName[];
  /** How graphs and weights lie in it. */
  readonly target: Pick<ExportTarget, 'combined' | 'codes'>;
  /** What is in the bundle in addition to graphs and weights of the chosen profiles. */
  readonly rest: number;
  /** Whether that is all, or what is known before golden cases are made. */
  readonly isWhole: boolean;
}

/**
 * Refuses a bundle that is too large, with the size of every profile that the model can have.
 *
 * @throws FuzzError `usage`.
 */
export async function checkSize(
  config: ModelConfig,
  { maxBytes, chosen, target, rest, isWhole }: SizeLimit,
): Promise<void> {
  const possible = profileNames.filter((name) => profiles[name].refusal(config) === undefined);
  const sizes = await Promise.all(
    possible.map(async (name) => ({ name, bytes: await profileSize(config, name, target) })),
  );
  const total = sizes.reduce((sum, { name, bytes }) => sum + (chosen.includes(name) ? bytes : 0), rest);
  if (total <= maxBytes) return;
  const list = sizes.map(({ name, bytes }) => `\n  ${name}: ${bytes} bytes`).join('');
  const fitting = sizes.filter(({ bytes }) => bytes + rest <= maxBytes).map(({ name }) => name);
  throw new FuzzError(
    'usage',
    `the bundle takes ${isWhole ? '' : 'more than '}${total} bytes with ${chosen.join(' and ')}, at most ${maxBytes} are allowed; ` +
      `${rest} bytes are for names and facts${isWhole ? ', golden cases, card and manifest' : ''}, and the profiles take${list}`,
    {
      path: 'maxBytes',
      hint:
        fitting.length === 0
          ? 'No profile fits; train with a smaller dimension.'
          : `Fits on its own: ${fitting.join(', ')}.`,
    },
  );
}
