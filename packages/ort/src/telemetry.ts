import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { FuzzError } from '@fuzzqe/core';

/** What onnxruntime-node asks the environment of its process for, once, when the first session is opened. */
const variable = 'ORT_DISABLE_TELEMETRY';

/**
 * The environment with telemetry off, unless it says otherwise: `ORT_DISABLE_TELEMETRY=0` leaves it on.
 *
 * @example
 * const env = withoutTelemetry({ ...process.env });
 */
export function withoutTelemetry(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // An empty value would leave it on, and nobody asks for telemetry by that.
  environment[variable] ||= '1';
  return environment;
}

// On loading, so that workers that are started later find it decided.
if (isMainThread) {
  withoutTelemetry(process.env);
  setEnvironmentData(variable, true);
}

/**
 * Makes sure that the process's environment says whether there is telemetry.
 *
 * A worker thread has a copy of the environment and cannot change the one that native code reads.
 *
 * @throws FuzzError `runtime`: in a worker thread of a process in which nothing was decided.
 */
export function decideTelemetry(): void {
  withoutTelemetry(process.env);
  if (isMainThread || getEnvironmentData(variable) === true || ofProcess()[variable]) return;
  throw new FuzzError(
    'runtime',
    `${variable}: expected it in the environment before a worker thread opens the first session, got nothing; onnxruntime-node would send telemetry`,
    {
      hint: `Import @fuzzqe/ort (or @fuzzqe/serve, @fuzzqe/train) in the main thread before it starts workers, or start the process with ${variable}=1.`,
    },
  );
}

/** The environment that native code sees: Node's report reads it past the thread's copy. It takes a fifth of a second. */
function ofProcess(): NodeJS.ProcessEnv {
  // Otherwise it looks up the names of hosts; the types of Node 20 do not have the property yet.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { environmentVariables = {} } = report.getReport() as { environmentVariables?: NodeJS.ProcessEnv }; // typed as object
  return environmentVariables;
}
