import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceNames } from '../device.ts';
import { logLevels } from '../telemetry/log.ts';
import { settingsJsonSchema } from './describe-settings.ts';
import { readSettings } from './read-settings.ts';
import { settingsTable, variableOf } from './settings-table.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-settings-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const fileOf = async (content: unknown): Promise<string> => {
  const file = join(folder, 'serve.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

describe('settings', () => {
  it('are those of flags, else of variables, else of the file, else their own', async () => {
    const config = await fileOf({ port: 1, maxK: 1, bodyLimit: 1, cors: ['https://a.example'] });
    const settings = await readSettings({
      flags: { config, port: '3' },
      environment: { FUZZQE_SERVE_PORT: '2', FUZZQE_SERVE_MAX_K: '2', PORT: '9', FUZZQE_LARGE_FILES: '1' },
    });
    expect(settings).toMatchObject({ port: 3, maxK: 2, bodyLimit: 1, cors: ['https://a.example'] });
    expect(settings.maxConnections).toBe(settingsTable.maxConnections.fallback);
    expect(settings.keys).toBeUndefined();
  });

  it('may have their file named by a variable, and their schema by the file', async () => {
    const config = await fileOf({ $schema: './serve-settings.schema.json', traceRatio: 0.25 });
    const { traceRatio } = await readSettings({ flags: {}, environment: { [variableOf('config')]: config } });
    expect(traceRatio).toBe(0.25);
  });

  it.each([
    [{ flags: { port: '80a' } }, 'usage', '--port', 'expected an integer in [0, 65535], got "80a"'],
    [{ flags: { device: 'gpu' } }, 'usage', '--device', '"webgpu", got "gpu"'],
    [{ environment: { FUZZQE_SERVE_PORT: '-1' } }, 'config', 'FUZZQE_SERVE_PORT', '[0, 65535], got -1'],
    [{ environment: { FUZZQE_SERVE_PROT: '1' } }, 'config', 'FUZZQE_SERVE_PROT', 'no such setting'],
    [{ flags: { cors: 'a.example' } }, 'usage', '--cors', 'expected an origin such as'],
    [{ flags: { cors: 'https://a.example/' } }, 'usage', '--cors', 'got "https://a.example/"'],
    [{ flags: { cors: 'https://a.example,http://a b' } }, 'usage', '--cors', 'got "http://a b"'],
    [
      { environment: { FUZZQE_SERVE_CORS: 'https://A.example' } },
      'config',
      'FUZZQE_SERVE_CORS',
      'got "https://A',
    ],
    [
      { flags: { allowHost: 'http://x' } },
      'usage',
      '--allow-host',
      'without scheme and port, got "http://x"',
    ],
    [{ flags: { allowHost: 'a.example,b:1' } }, 'usage', '--allow-host', 'got "b:1"'],
    [
      { environment: { FUZZQE_SERVE_ALLOW_HOST: '' } },
      'config',
      'FUZZQE_SERVE_ALLOW_HOST',
      'expected the name of a host',
    ],
    [{ environment: { FUZZQE_SERVE_KEYS: '' } }, 'config', 'FUZZQE_SERVE_KEYS', 'not empty, got ""'],
    [{ flags: { keys: '' } }, 'usage', '--keys', 'not empty, got ""'],
    [{ flags: { host: '' } }, 'usage', '--host', 'not empty'],
    [{ flags: { otlpEndpoint: 'localhost:4318' } }, 'usage', '--otlp-endpoint', 'got "localhost:4318"'],
    [{ flags: { otlpEndpoint: 'http://a/v1/traces' } }, 'usage', '--otlp-endpoint', 'without /v1/traces'],
    [{ environment: { FUZZQE_SERVE_CONFIG: '/none' } }, 'config', '/none', 'that can be read'],
  ] as const)('are refused by name: %j', async (sources, code, path, message) => {
    await expect(readSettings({ flags: {}, environment: {}, ...sources })).rejects.toMatchObject({
      code,
      path,
      message: expect.stringContaining(message),
    });
  });

  it('take origins as browsers send them, and collectors with a path or without', async () => {
    const cors = ['*', 'https://a.example', 'http://localhost:5173', 'http://[::1]:1', 'app://graph'];
    const otlpEndpoint = 'https://ann:secret@b.example/otlp/';
    const flags = { cors: cors.join(', '), otlpEndpoint };
    expect(await readSettings({ flags, environment: {} })).toMatchObject({ cors, otlpEndpoint });
    const allowHost = ['*', 'graph.example', '::1', '[::1]', '10.0.0.1'];
    expect(await readSettings({ flags: { allowHost: allowHost.join() }, environment: {} })).toMatchObject({
      allowHost,
    });
    const config = await fileOf({ cors: ['null'], otlpEndpoint: 'b.example' });
    await expect(readSettings({ flags: { config }, environment: {} })).rejects.toThrow(
      /\$\.cors\[0\]: expected an origin [\s\S]*\$\.otlpEndpoint: expected the http or https address/,
    );
  });

  it('of a file are refused by their path, with the nearest key', async () => {
    const config = await fileOf({ prot: 1, maxK: 0 });
    const refused = readSettings({ flags: { config }, environment: {} });
    await expect(refused).rejects.toMatchObject({ code: 'config', path: config });
    await expect(refused).rejects.toThrow(/\$\.prot: .*port[\s\S]*|\$\.maxK: /);
    await expect(refused).rejects.toThrow('$.maxK: expected an integer in [1, 10000000], got 0');
    const twice = await fileOf('{"maxK":1,"port":1,"maxK":2}');
    await expect(readSettings({ flags: { config: twice }, environment: {} })).rejects.toMatchObject({
      code: 'config',
      path: twice,
      message: expect.stringContaining('expected each key once, got $.maxK twice'),
    });
    const marked = await fileOf('\uFEFF{"maxK":7}');
    expect(await readSettings({ flags: { config: marked }, environment: {} })).toMatchObject({ maxK: 7 });
    const broken = await fileOf('{');
    await expect(readSettings({ flags: { config: broken }, environment: {} })).rejects.toThrow('not JSON');
  });

  it('are not taken from what Kubernetes sets for a service of that name', async () => {
    const environment = {
      FUZZQE_SERVE_SERVICE_HOST: '10.0.0.1',
      FUZZQE_SERVE_PORT_80_TCP: 'tcp://10.0.0.1:80',
    };
    await readSettings({ flags: {}, environment });
    const linked = { FUZZQE_SERVE_PORT: 'tcp://10.0.0.1:80' };
    await expect(readSettings({ flags: {}, environment: linked })).rejects.toMatchObject({
      hint: expect.stringContaining('enableServiceLinks'),
    });
  });

  it('have the devices and levels that there are', () => {
    expect(settingsTable.device.choices).toEqual(['auto', ...deviceNames]);
    expect(settingsTable.logLevel.choices).toEqual(logLevels);
  });

  it('have the schema that the documents hold', async () => {
    const docs = (name: string): Promise<string> =>
      readFile(fileURLToPath(new URL(`../../../../docs/${name}`, import.meta.url)), 'utf8');
    expect(JSON.parse(await docs('serve-settings.schema.json'))).toEqual(settingsJsonSchema());
  });
});
