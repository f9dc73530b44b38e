import { hostRelease } from '@proctor/config';
import {
  leaseOfTree,
  openMachine,
  sourceTree,
  storedLog,
  type TestMachine,
} from '../end-to-end/worker/test-machine';

jest.setTimeout(600_000);

/** A release by its codename, which its archive calls otherwise. */
const OTHER = hostRelease() === 'trixie' ? 'bookworm' : 'trixie';

let machine: TestMachine;
afterEach(async () => machine?.close());

it(`a pin to ${OTHER} holds, though apt knows that release by another name`, async () => {
  machine = await openMachine();
  const tree = await sourceTree(machine.workPath, '#!/bin/sh\napt-cache policy hello\n');
  const pinned = leaseOfTree(tree, { pinPackages: [['hello', OTHER]] });
  const result = await machine.runner.run(pinned, () => undefined, new AbortController().signal);
  const log = await storedLog(result);
  expect({ exitCode: result.exitCode, log: result.exitCode === 0 ? '' : log }).toEqual({
    exitCode: 0,
    log: '',
  });
  expect(log).toMatch(new RegExp(`^ +\\S+ 995\n +500 \\S+ ${OTHER}/main`, 'm'));
});
