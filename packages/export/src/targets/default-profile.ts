import { FuzzError } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/model';
import type { ProfileName } from '../profiles/profile.ts';
import { profiles } from '../profiles/profiles.ts';
import { type TargetName, targets } from './target.ts';

/**
 * The profile that an export to a target has if no profile is named: the first of the target's that the model can have.
 *
 * @throws FuzzError `usage`: the model can have none, with the reason.
 * @example
 * defaultProfile(model, 'workers'); // 'int8-basis'
 */
export function defaultProfile(config: ModelConfig, target: TargetName): ProfileName {
  const { defaultProfiles } = targets[target];
  const reasons = defaultProfiles.map((name) => profiles[name].refusal(config));
  const possible = defaultProfiles[reasons.indexOf(undefined)];
  if (possible !== undefined) return possible;
  throw new FuzzError(
    'usage',
    `target ${target} has profile ${defaultProfiles.join(' or ')}, and a model of ${config.relationForm} can have neither: ${reasons.at(-1)}`,
    { path: 'target', hint: 'Export to another target, such as node.' },
  );
}
