import { expect, it } from 'vitest';
import { profilesSection } from './profiles-section.ts';

const figures = { mrrChange: -0.0012, overlap10: 0.9987, queries: 70 };

it('a profile without figures has a reason, and a single profile no table of comparisons', () => {
  const reference = { bytes: 10, quality: { reason: 'others are measured against it' } };
  const measured = { bytes: 6, quality: { embedding: figures, sets: figures } };
  const both = profilesSection({ profiles: { fp32: reference, fp16: measured } });
  expect(both).toContain('| `fp32` | 10 | – | – | – | – | – | – |');
  expect(both).toContain('| `fp16` | 6 | -0.12 | 0.9987 | 70 | -0.12 | 0.9987 | 70 |');
  expect(both).toContain('`fp32` has no figures: others are measured against it.');
  const alone = profilesSection({ profiles: { fp32: reference } });
  expect(alone).toBe('A profile is one stored form of the model. The bundle has one, `fp32`, with 10 bytes.');
});
