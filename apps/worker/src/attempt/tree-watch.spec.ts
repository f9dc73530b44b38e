import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@proctor/clock';
import type { WaitingProcess } from '../sandbox/waiting-processes';
import { TreeWatch } from './tree-watch';

let output: string;
beforeEach(async () => (output = await mkdtemp(join(tmpdir(), 'tree-watch-'))));
afterEach(async () => rm(output, { recursive: true }));

const unpacking = (pid: number): WaitingProcess => ({ pid, command: ['sed', 'p', 'debian/changelog'] });

/** Looks so often that the processes were looked at as many times as there are answers. */
async function watch(...answers: WaitingProcess[][]) {
  let action: (() => void) | null = null;
  let settled = (): void => undefined;
  const clock: Clock = {
    now: () => 0,
    after: (_ms, next) => {
      action = next;
      settled();
      return () => (action = null);
    },
  };
  const warn = jest.fn();
  const waitingForPipes = jest.fn(() => Promise.resolve(answers.shift() ?? []));
  const onFinding = jest.fn(() => settled());
  const tree = new TreeWatch(output, { waitingForPipes }, clock, { log: warn, warn });
  tree.start(onFinding);
  for (let looks = 10 * answers.length; looks > 0 && action; looks -= 1) {
    await new Promise<void>((resolve) => {
      settled = resolve;
      action?.();
    });
  }
  tree.stop();
  expect(warn).not.toHaveBeenCalled();
  expect(onFinding).toHaveBeenCalledTimes(tree.unreadableFile === null ? 0 : 1);
  return { found: tree.unreadableFile, asked: waitingForPipes.mock.calls.length };
}

it('a process that unpacks a package and waits for a pipe twice in a row waits for ever', async () => {
  expect(await watch([], [unpacking(7)], [unpacking(7)], [])).toEqual({
    found: 'debian/changelog is a pipe',
    asked: 3,
  });
});

it('processes that wait once, or do not unpack the package, are let be', async () => {
  const other = { pid: 9, command: ['cat', 'pipe'] };
  expect(await watch([unpacking(7), other], [unpacking(8), other], [], [unpacking(7), other])).toEqual({
    found: null,
    asked: 4,
  });
});

it('what waits once the package is unpacked is a test', async () => {
  await writeFile(join(output, 'testpkg-version'), 'hello 1.0\n');
  expect(await watch([unpacking(7)], [unpacking(7)])).toEqual({ found: null, asked: 0 });
});
