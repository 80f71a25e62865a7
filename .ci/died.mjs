// Prints the test file whose process died in a run of which nothing else failed: died.mjs REPORT. Exit code 1 where there is none such.
import { readFileSync } from 'node:fs';

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const has = (file, state) => file.assertionResults.some(({ status }) => status === state);
const died = testResults.filter((file) => has(file, 'pending'));
const failed = testResults.some((file) => file.status === 'failed' || has(file, 'failed'));
// More than one is no accident.
if (failed || died.length !== 1) process.exit(1);
process.stdout.write(`${died[0].name}\n`);
