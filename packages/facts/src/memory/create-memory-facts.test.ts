import { describe, expect, it } from 'vitest';
import { createMemoryFacts } from '../index.ts';
import { describeFactStore } from '../testing/index.ts';

describeFactStore('in memory', { describe, it, expect }, { open: async () => createMemoryFacts() });
