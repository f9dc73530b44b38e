import { readdirSync } from 'node:fs';
import { ControlGroups } from '@apps/worker/src/sandbox/control-groups';
import { prepareImage } from '@test/support/worker-images';
import { leaseOfTree, openMachine, sourceTree, storedLog, type TestMachine } from './test-machine';

const MIB = 1024 ** 2;
const never = new AbortController().signal;

/** Begins as many processes as it may, and says how many of the wanted it had. */
const FORKS = `#!/usr/bin/python3
import os, signal, sys
children = []
try:
    while len(children) < WANTED:
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
except OSError as error:
    print('stopped:', error.strerror)
print('had', len(children))
sys.stdout.flush()
AFTER
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
`;

/** Takes memory and writes to it, in itself. */
const HOG = `#!/usr/bin/python3
pages = []
for _ in range(200):
    pages.append(bytearray(b'x' * (8 * 1024 * 1024)))
print('no limit')
`;

let machine: TestMachine;
let groups: ControlGroups | null;
prepareImage();
beforeAll(async () => {
  groups = await ControlGroups.open();
  machine = await openMachine({
    runTmpfsBytes: 900 * MIB,
    runMemoryBytesMax: 1200 * MIB,
    runProcessesMax: 600,
  });
});
afterAll(async () => machine?.close());
afterEach(() => expect(groupsLeft()).toEqual([]));

function groupsLeft(): string[] {
  return groups ? readdirSync(groups.path).filter((name) => name.startsWith(`proctor-${process.pid}-`)) : [];
}

async function runTree(script: string) {
  const tree = await sourceTree(machine.workPath, script);
  const result = await machine.runner.run(leaseOfTree(tree), () => undefined, never);
  return { result, log: await storedLog(result) };
}

const forks = (count: number, after: 'pass' | 'signal.pause()') =>
  FORKS.replace('WANTED', String(count)).replace('AFTER', after);

it('a run has no more processes than it may, and still ends well', async () => {
  const { result, log } = await runTree(forks(1000, 'pass'));
  expect(log).toContain('stopped: Resource temporarily unavailable');
  expect(Number(/^had (\d+)$/m.exec(log)?.[1])).toBeLessThan(600);
  expect(result.verdict).toBe('pass');
});

it('runs beside each other do not take processes from each other', async () => {
  const abort = new AbortController();
  const tree = await sourceTree(machine.workPath, forks(450, 'signal.pause()'));
  const logged = machine.untilLogged('had 450');
  const beside = machine.runner.run(leaseOfTree(tree), () => undefined, abort.signal);
  const rejection = expect(beside).rejects.toThrow('enough');
  try {
    await Promise.race([logged, beside]);
    expect((await runTree(forks(450, 'pass'))).log).toMatch(/^had 450$/m);
  } finally {
    abort.abort(new Error('enough'));
    await rejection;
  }
});

it('a run gets no more memory than it may: a limit of the worker, or a MemoryError', async () => {
  const { result, log } = await runTree(HOG);
  expect(log).not.toContain('no limit');
  if (groups?.controllers.has('memory')) {
    expect(result).toMatchObject({ verdict: 'tmpfail', trouble: 'limit', exitCode: 4 });
    expect(result.message).toContain("it used up its 1200 MiB of memory, the worker's limit");
  } else {
    expect(log).toContain('MemoryError');
    expect(result).toMatchObject({ verdict: 'fail', exitCode: 4 });
  }
});

it('many small processes of a run do not get more memory together, where a control group limits it', async () => {
  if (!groups?.controllers.has('memory')) return;
  const script = HOG.replace('pages = []', 'import os\nfor _ in range(2): os.fork()\npages = []');
  const { result } = await runTree(script.replace('range(200)', 'range(50)'));
  expect(result).toMatchObject({ verdict: 'tmpfail', trouble: 'limit' });
});

it('a run that had enough is judged as such, whatever ran out before', async () => {
  const { result } = await runTree('#!/bin/sh\nexit 1\n');
  expect(result).toMatchObject({ verdict: 'fail', exitCode: 4 });
});
