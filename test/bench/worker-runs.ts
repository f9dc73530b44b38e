import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { sandboxUse } from '../../apps/worker/src/attempt/sandbox-use';
import { openMachine, type TestMachine } from '../end-to-end/worker/test-machine';
import { processorTime, SUITE, WorkerRig, type ProcessorTime } from './worker-rig';

const SLOTS = 8;
const LIMITS = { runTmpfsBytes: 1024 ** 3, runProcessesMax: 8192 };

/** Children that do nothing. The last arguments are those of autopkgtest that the second looks at. */
const CHILDREN: Record<string, string[]> = {
  nothing: ['sh', '-c', 'true'],
  stub: [resolve('test/stub/autopkgtest-stub')],
};
const STUB_ARGUMENTS = ['hello', '--', 'null'];

/** One way of executing runs. */
interface Measured {
  runsPerSecond: number;
  /** Milliseconds a run. */
  time: ProcessorTime;
}

/**
 * Whole runs that do nothing: a worker process of eight slots from lease to recorded result, against the same child in the
 * same sandbox that is opened without a worker, eight at once; in turn. Yields a table in Markdown.
 */
export async function* noOpRuns(runs = 80, rounds = 3): AsyncGenerator<string> {
  const rig = await WorkerRig.start({ slots: SLOTS, variants: CHILDREN });
  const machine = await openMachine({ backends: ['null'], suitesAtStart: [SUITE] }, []);
  try {
    yield '| child | runs a second, worker | by hand | ratio (min, max) | worker process, ms a run | its children | by hand | the child alone | beyond the child |';
    yield '| --- | --- | --- | --- | --- | --- | --- | --- | --- |';
    for (const child of Object.keys(CHILDREN)) yield await compared(rig, machine, child, runs, rounds);
  } finally {
    await machine.close();
    await rig.stop();
  }
}

async function compared(
  rig: WorkerRig,
  machine: TestMachine,
  child: string,
  runs: number,
  rounds: number,
): Promise<string> {
  const ways = { worker: [] as Measured[], hand: [] as Measured[] };
  await rig.execute(SLOTS, child);
  for (let round = 0; round < rounds; round += 1) {
    ways.worker.push(await timed(rig.pid, runs, () => rig.execute(runs, child)));
    ways.hand.push(await timed('self', runs, () => byHand(machine, child, runs)));
  }
  const alone = await timed('self', 50, () => unboxed(machine, child, 50));
  const ratios = ways.worker.map(
    ({ runsPerSecond }, at) => runsPerSecond / (ways.hand[at]?.runsPerSecond ?? NaN),
  );
  const [worker, hand] = [ways.worker, ways.hand].map((each) => ({
    rate: median(each.map(({ runsPerSecond }) => runsPerSecond)),
    own: median(each.map(({ time }) => time.own)),
    children: median(each.map(({ time }) => time.children)),
  })) as [Summary, Summary];
  const beyond = worker.own + worker.children - alone.time.children;
  const cells = [worker.rate.toFixed(1), hand.rate.toFixed(1), spread(ratios)];
  const times = [worker.own, worker.children, hand.children, alone.time.children, beyond];
  return `| ${[child, ...cells, ...times.map((ms) => ms.toFixed(1))].join(' | ')} |`;
}

interface Summary {
  rate: number;
  own: number;
  children: number;
}

async function timed(pid: number | 'self', runs: number, work: () => Promise<void>): Promise<Measured> {
  const [before, begun] = [processorTime(pid), performance.now()];
  await work();
  const [after, ms] = [processorTime(pid), performance.now() - begun];
  const time = {
    own: (after.own - before.own) / runs,
    children: (after.children - before.children) / runs,
  };
  return { runsPerSecond: (runs / ms) * 1000, time };
}

async function byHand({ sandboxes, testbeds }: TestMachine, child: string, runs: number): Promise<void> {
  await inSlots(runs, async (run) => {
    const folder = await sandboxes.createFolder(`hand-${run}`);
    const testbed = await testbeds.backend('null').use(SUITE, '', folder);
    const use = sandboxUse(commandOf(child, folder.output), testbed, LIMITS);
    const { code } = await (await sandboxes.start(folder, use)).ended;
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

function spread(ratios: number[]): string {
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}, ${Math.max(...ratios).toFixed(2)})`;
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
