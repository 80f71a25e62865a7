import { openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { createApp } from '../index.ts';
import { boundProbes } from '../testing/index.ts';
import { wordsPart } from '../words/index.ts';
import { documentation } from './index.ts';

const { source, config, parameters } = await memoryBundle();
const engine = await openEngine({ source, sessions: referenceSessions(config, parameters) });
const app = createApp(engine, { mount: [documentation(), wordsPart()] });
const openapi = await (await app.request('/openapi.json')).json();
const ajv = new Ajv2020({ strict: false });

describe('what the document says of a value', () => {
  it('is what the application says of it, within its bounds and beyond them', async () => {
    const probes = boundProbes(openapi, ajv);
    const differences: string[] = [];
    for (const { route, what, fits, address, init } of probes) {
      const { status } = await app.request(address, init);
      const isRefused = status >= 400 && status < 500;
      if (isRefused === fits) differences.push(`${route} ${what}: ${fits ? 'fits' : 'is out'}, ${status}`);
    }
    expect(differences).toEqual([]);
    expect(probes.filter(({ fits }) => fits).length).toBeGreaterThan(100);
    expect(probes.filter(({ fits }) => !fits).length).toBeGreaterThan(100);
  });
});
