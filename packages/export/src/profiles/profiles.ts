import { describeValue, FuzzError } from '@fuzzqe/core';
import type { ModelConfig } from '@fuzzqe/model';
import { fp16, fp32 } from './float-profiles.ts';
import { int8 } from './int8.ts';
import { int8Basis } from './int8-basis.ts';
import { type ExportProfile, type ProfileName, profileNames } from './profile.ts';

/** Every profile by its name. */
export const profiles: Readonly<Record<ProfileName, ExportProfile>> = {
  fp32,
  fp16,
  int8,
  'int8-basis': int8Basis,
};

/** Throws 'usage' where a profile is none, occurs twice, none is wanted, or the model cannot have one, with the reason. */
export function checkProfiles(config: ModelConfig, names: readonly ProfileName[]): void {
  if (!areProfiles(names))
    throw new FuzzError('usage', `expected one or more different profiles, got ${describeValue(names)}`, {
      path: 'profiles',
      hint: `Name each once, out of ${profileNames.join(', ')}.`,
    });
  for (const name of names) {
    const reason = profiles[name].refusal(config);
    if (reason !== undefined)
      throw new FuzzError('usage', `the model cannot have the profile ${name}: ${reason}`, {
        path: 'profiles',
        hint: 'Leave this profile out.',
      });
  }
}

/** Whether there is one at least, and none twice; callers without types may give anything. */
function areProfiles(names: unknown): boolean {
  if (!Array.isArray(names) || names.length === 0) return false;
  return new Set(names).size === names.length && names.every((name) => profileNames.includes(name));
}
