import { autopkgtestCommand } from '../../apps/worker/src/autopkgtest/command';
import { sandboxUse } from '../../apps/worker/src/attempt/sandbox-use';
import { lease, openMachine, sourceTree, type TestMachine } from '../end-to-end/worker/test-machine';
import type { Pair } from './pairs';

const ROUNDS = 3;
const PACKAGES = ['patch', 'ed', 'hello'];
const LIMITS = { runTmpfsBytes: 4 * 1024 ** 3, runProcessesMax: 10_000 };

/**
 * What the worker adds to a test: an attempt from its lease to its packed result, against the same command line in the
 * same sandbox whose output nobody reads.
 */
export async function* executing(): AsyncGenerator<Pair> {
  const machine = await openMachine();
  try {
    const tree = await sourceTree(machine.workPath, '#!/bin/sh\nexit 0\n');
    yield pair(machine, 'a source tree whose test does nothing', tree);
    for (const name of PACKAGES) yield pair(machine, name, name);
  } finally {
    await machine.close();
  }
}

function pair(machine: TestMachine, name: string, subject: string): Pair {
  const measured = async () => {
    const signal = new AbortController().signal;
    const { exitCode } = await machine.runner.test(subject, lease(), () => undefined, signal);
    mustEnd(name, exitCode);
  };
  const baseline = async () => mustEnd(name, await byHand(machine, subject));
  return {
    name: `worker: ${name}`,
    measured: { what: 'an attempt of the worker', run: measured },
    baseline: { what: 'its command line in its sandbox', run: baseline },
    rounds: ROUNDS,
  };
}

/** @returns the exit code */
async function byHand({ sandboxes, testbeds }: TestMachine, subject: string): Promise<number | null> {
  const order = lease();
  const { command: runner, version } = testbeds.runner(order.variant);
  const folder = await sandboxes.createFolder(`bench-${order.runId}`);
  try {
    const testbed = await testbeds.backend(order.backend).use(order.suite, order.arch, folder);
    const parts = { runner, version, subject, outputFolder: folder.output, signingKeyFiles: [], testbed };
    const use = sandboxUse(autopkgtestCommand(order, parts), testbed, LIMITS);
    return (await (await sandboxes.start(folder, use)).ended).code;
  } finally {
    await folder.remove();
  }
}

/** A test that broke off early would look like a fast one. */
function mustEnd(name: string, exitCode: number | null): void {
  if (exitCode !== 0 && exitCode !== 8) throw new Error(`the test of ${name} ended with ${exitCode}`);
}
