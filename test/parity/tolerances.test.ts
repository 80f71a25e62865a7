import { toleranceLimits } from '@fuzzqe/engine';
import { profileNames, profiles } from '@fuzzqe/export';
import { expect, it } from 'vitest';

it.each(profileNames)(
  'a reader believes the tolerances that %s is exported with, and no looser ones',
  (name) => {
    expect(toleranceLimits[name]).toEqual(profiles[name].tolerances);
  },
);
