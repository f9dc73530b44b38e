import type { Lease } from '@proctor/contracts';
import { autopkgtestCommand } from '@apps/worker/src/autopkgtest/command';
import { sandboxUse } from '@apps/worker/src/attempt/sandbox-use';
import {
  lease,
  leaseOfTree,
  openMachine,
  sourceTree,
  type TestMachine,
} from '@test/end-to-end/worker/test-machine';
import type { Numbers, Row } from '../row';

const LIMITS = { runTmpfsBytes: 4 * 1024 ** 3, runProcessesMax: 10_000 };
const PACKAGES = ['patch', 'hello'];

/** An attempt from its lease to its packed result, against the same command line whose output is not read. */
export const realTests: Row = {
  name: 'real-tests',
  what: 'an attempt of the worker',
  against: 'the same command by hand in the same sandbox',
  figures: [
    { what: 'a source tree', unit: 's', of: 'tree', against: 'tree', mark: { atMost: 1.03 } },
    ...PACKAGES.map((of) => ({ what: `\`${of}\``, unit: 's', of, against: of, mark: { atMost: 1.03 } })),
  ],
  rounds: 3,
  isLarge: true,
  isNeverQuick: true,
  async open() {
    const machine = await openMachine();
    const tree = await sourceTree(machine.workPath, '#!/bin/sh\nexit 0\n');
    const each = async (test: (request: Lease) => Promise<number | null>) => {
      const seconds: Numbers = {};
      for (const name of ['tree', ...PACKAGES]) {
        const request = name === 'tree' ? leaseOfTree(tree) : lease({ package: name });
        const startedAt = performance.now();
        mustEnd(name, await test(request));
        seconds[name] = (performance.now() - startedAt) / 1000;
      }
      return seconds;
    };
    const signal = new AbortController().signal;
    return {
      measured: () =>
        each(async (request) => {
          const { exitCode } = await machine.runner.run(request, () => undefined, signal);
          return exitCode;
        }),
      bare: () => each((request) => byHand(machine, request)),
      close: () => machine.close(),
    };
  },
};

/** @returns the exit code */
async function byHand({ sandboxes, testbeds }: TestMachine, request: Lease): Promise<number | null> {
  const { command: runner, version } = testbeds.runner(request.variant);
  const folder = await sandboxes.createFolder(`bench-${request.runId}`);
  try {
    const testbed = await testbeds.backend(request.backend).use(request.suite, request.arch, folder);
    const parts = {
      runner,
      version,
      subject: request.package,
      outputFolder: folder.output,
      signingKeyFiles: [],
      testbed,
    };
    const use = sandboxUse(autopkgtestCommand(request, parts), testbed, LIMITS);
    return (await (await sandboxes.start(folder, use)).ending).code;
  } finally {
    await folder.remove();
  }
}

/** A test that broke off early would look like a fast one. */
function mustEnd(name: string, exitCode: number | null): void {
  if (exitCode !== 0 && exitCode !== 8) throw new Error(`the test of ${name} ended with ${exitCode}`);
}
