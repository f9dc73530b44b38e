import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { sandboxUse } from '@apps/worker/src/attempt/sandbox-use';
import { openMachine, type TestMachine } from '@test/end-to-end/worker/test-machine';
import type { Numbers, Row } from '../row';
import { processorTime, SUITE, WorkerRig } from '../worker-rig';

const SLOTS = 8;
const LIMITS = { runTmpfsBytes: 1024 ** 3, runProcessesMax: 8192 };

/** Children that do nothing. The last arguments are those of autopkgtest that the second looks at. */
const CHILDREN: Record<string, string[]> = {
  nothing: ['sh', '-c', 'true'],
  stub: [resolve('test/stub/autopkgtest-stub')],
};
const STUB_ARGUMENTS = ['hello', '--', 'null'];

/** A worker process of eight slots, from leases to recorded results; by hand, eight at once. */
export const noOpRuns: Row = {
  name: 'no-op-runs',
  what: 'whole runs that do nothing, by a real worker',
  against: 'the same child in the same sandbox, opened by hand, as many at once',
  figures: [
    { what: '`sh -c true`', unit: '1/s', of: 'nothing', against: 'nothing', mark: { atLeast: 0.5 } },
    { what: 'the stub', unit: '1/s', of: 'stub', against: 'stub', mark: { atLeast: 0.5 } },
    ...Object.keys(CHILDREN).map((child) => ({
      what: `processor time beyond the child's own, ${child === 'stub' ? 'the stub' : '`sh -c true`'}`,
      ...{ unit: 'ms', of: `${child} ms`, against: `${child} alone ms`, by: 'difference' as const },
      mark: { atMost: 40 },
    })),
  ],
  rounds: 5,
  async open(place) {
    const runs = place.size(80, 8);
    const rig = await WorkerRig.start(place, { slots: SLOTS, variants: CHILDREN });
    const machine = await openMachine({ backends: ['null'], suitesAtStart: [SUITE] }, []);
    return {
      async measured() {
        const numbers: Numbers = {};
        for (const child of Object.keys(CHILDREN)) {
          const { perSecond, ms } = await timed(rig.pid, runs, () => rig.execute(runs, child));
          numbers[child] = perSecond;
          numbers[`${child} ms`] = ms;
        }
        return numbers;
      },
      async bare() {
        const numbers: Numbers = {};
        for (const child of Object.keys(CHILDREN)) {
          numbers[child] = (await timed(process.pid, runs, () => byHand(machine, child, runs))).perSecond;
          const alone = await timed(process.pid, runs, () => unboxed(machine, child, runs));
          numbers[`${child} alone ms`] = alone.childrenMs;
        }
        return numbers;
      },
      async close() {
        await machine.close();
        await rig.stop();
      },
    };
  },
};

/** Milliseconds of processor time a run: of the process and its children, and of the children alone. */
async function timed(
  pid: number,
  runs: number,
  work: () => Promise<void>,
): Promise<{ perSecond: number; ms: number; childrenMs: number }> {
  const [before, startedAt] = [processorTime(pid), performance.now()];
  await work();
  const [after, tookMs] = [processorTime(pid), performance.now() - startedAt];
  const childrenMs = (after.children - before.children) / runs;
  return { perSecond: (runs / tookMs) * 1000, childrenMs, ms: (after.own - before.own) / runs + childrenMs };
}

async function byHand({ sandboxes, testbeds }: TestMachine, child: string, runs: number): Promise<void> {
  await inSlots(runs, async (run) => {
    const folder = await sandboxes.createFolder(`hand-${run}`);
    const testbed = await testbeds.backend('null').use(SUITE, '', folder);
    const use = sandboxUse(commandOf(child, folder.output), testbed, LIMITS);
    const { code } = await (await sandboxes.start(folder, use)).ending;
    if (code !== 0) throw new Error(`${child} ended with ${code}`);
    await folder.remove();
  });
}

/** Without a sandbox: what the child itself costs. */
async function unboxed({ workPath }: TestMachine, child: string, runs: number): Promise<void> {
  await inSlots(runs, async (run) => {
    const [program = '', ...args] = commandOf(child, `${workPath}/alone-${run}`);
    await once(spawn(program, args, { stdio: 'ignore' }), 'exit');
  });
}

function commandOf(child: string, output: string): string[] {
  const command = CHILDREN[child] ?? [];
  return child === 'stub' ? [...command, '--output-dir', output, ...STUB_ARGUMENTS] : command;
}

async function inSlots(runs: number, work: (run: number) => Promise<void>): Promise<void> {
  let next = 0;
  const slot = async (): Promise<void> => {
    while (next < runs) await work(next++);
  };
  await Promise.all(Array.from({ length: SLOTS }, slot));
}
