import { expect, it } from 'vitest';
import { openInferenceSession, withoutTelemetry } from './index.ts';

it('switches telemetry off unless somebody has decided', () => {
  expect(withoutTelemetry({})).toEqual({ ORT_DISABLE_TELEMETRY: '1' });
  // ONNX Runtime takes an empty value for consent.
  expect(withoutTelemetry({ ORT_DISABLE_TELEMETRY: '' })).toEqual({ ORT_DISABLE_TELEMETRY: '1' });
  for (const decided of ['0', 'false', '1'])
    expect(withoutTelemetry({ ORT_DISABLE_TELEMETRY: decided })).toEqual({ ORT_DISABLE_TELEMETRY: decided });
});

it('has done so in this process by being imported, and again before it opens a session', async () => {
  expect(process.env['ORT_DISABLE_TELEMETRY']).toBe('1');
  delete process.env['ORT_DISABLE_TELEMETRY'];
  await expect(openInferenceSession(new Uint8Array([1]))).rejects.toThrow(/protobuf/i);
  expect(process.env['ORT_DISABLE_TELEMETRY']).toBe('1');
});
