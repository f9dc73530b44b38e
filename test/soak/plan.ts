import type { Credentials } from '@proctor/bus';

/** The settings of one executor process, as JSON in its environment. */
export interface ExecutorPlan {
  name: string;
  credentials: Credentials;
  slots: number;
  architectures: string[];
  suites: string[];
  backend: string;
  variant: string;
  /** Where results wait until they are recorded. */
  resultsPath: string;
  /** One file for each worker, a line for each execution: `RUN_ID ATTEMPT WORKER INCARNATION SLOT`. */
  executionsPath: string;
}

export const SUITES = ['soak', 'trixie'];
export const ARCHITECTURES = ['amd64', 'arm64', 'riscv64'];
export const BACKEND = 'null';
/** Executed inside the executors' own process. */
export const VARIANT = 'inside';
/** The stub, executed by a whole worker as a process of its own. */
export const STUB_VARIANT = 'stub';

/** The trigger of runs whose first attempt ends in a way that smells of infrastructure. */
export const FAILS_ONCE = 'fails-once';
/** The message of every result of an executor: that of another run, attempt or package is seen. */
export function resultMessage(of: { runId: number; attempt: number; package: string }): string {
  return `result of attempt ${of.attempt} of run ${of.runId}, ${of.package}`;
}

export interface SoakPlan {
  durationMs: number;
  /** Runs a second that are asked for. */
  rate: number;
  /** How often something is broken. */
  faultEveryMs: number;
  seed: number;
  /** The share of runs that a whole worker executes as processes, from 0 to 1. */
  stubShare: number;
  /** Which faults may happen, by their names. */
  faults: string[];
}
