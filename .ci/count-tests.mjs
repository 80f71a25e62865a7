// Prints "N passed, N failed", summed over reports of vitest: count-tests.mjs STATUS REPORT...
// STATUS is the exit status of all that was done; where it is not 0, at least one has failed. Of a file that ran again the last counts.
import { readFileSync } from 'node:fs';

const [status, ...paths] = process.argv.slice(2);
// Where everything should be there, these must run: nothing else tests Workers, browsers and WebGPU.
const required = /\b(?:workerd|chromium|browsers?|webgpu)\b/i;

let [passed, failed] = [0, 0];
const files = new Map();
for (const path of paths) {
  try {
    for (const file of JSON.parse(readFileSync(path, 'utf8')).testResults) files.set(file.name, file);
  } catch {
    // A run that was never started or was cut off, as the status should say.
    if (status === '0') failed += 1;
  }
}
for (const file of files.values()) {
  const number = (state) => file.assertionResults.filter((test) => test.status === state).length;
  passed += number('passed');
  // A file that could not be loaded has no tests that failed, so it counts as one.
  failed += file.status === 'failed' ? Math.max(1, number('failed')) : number('failed');
  for (const { status: state, fullName } of file.assertionResults)
    if (['skipped', 'pending', 'todo'].includes(state) && required.test(fullName)) {
      process.stderr.write(`skipped, and has to run here: ${fullName}\n`);
      failed += 1;
    }
}
if (status !== '0' && failed === 0) failed = 1;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
