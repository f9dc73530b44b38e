import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { prepareImage } from '@test/support/worker-images';
import { lease, leaseOfTree, openMachine, sourceTree, storedLog, type TestMachine } from './test-machine';

const never = new AbortController().signal;
const PASS = '#!/bin/sh\ntrue\n';

/** A test's stanza of debian/tests/control. */
function stanza(name: string, command: string, restrictions = '', depends = ''): string {
  const restricted = restrictions ? `Restrictions: ${restrictions}\n` : '';
  return `Test-Command: ${command}\nFeatures: test-name=${name}\nDepends: ${depends}\n${restricted}\n`;
}

const PASSES = stanza('passes', 'true');
const FAILS = stanza('fails', 'exit 3');
const SKIPPED = stanza('skipped', 'true', 'isolation-machine');
const FLAKY = stanza('flaky', 'exit 1', 'flaky');
const LACKS = stanza('lacks', 'true', '', 'no-such-package-of-debian');

let machine: TestMachine;
prepareImage();
beforeAll(async () => (machine = await openMachine()));
afterAll(async () => machine?.close());

/** Runs a source tree with this debian/tests/control. */
async function runTests(control: string) {
  const tree = await sourceTree(machine.workPath, PASS);
  await writeFile(join(tree, 'debian/tests/control'), control);
  return machine.runner.run(leaseOfTree(tree), () => undefined, never);
}

// Tests that pass and that fail are those of real packages: real-packages.spec.ts.
it.each<[string, string, string, number]>([
  ['pass, and one is skipped', PASSES + SKIPPED, 'pass', 2],
  ['fail, and one is skipped', FAILS + SKIPPED, 'fail', 6],
  ['are flaky or superficial', FLAKY + stanza('superficial', 'true', 'superficial'), 'neutral', 8],
  ['are all skipped', SKIPPED, 'neutral', 8],
  ['are described wrongly', 'Depends:\nRestrictions: needs-root\n', 'fail', 12],
  ['lack a package, and one is skipped', LACKS + SKIPPED, 'fail', 14],
])('a result is right for tests that %s', async (_what, control, verdict, exitCode) => {
  const result = await runTests(control);
  const log = result.exitCode === exitCode ? '' : await storedLog(result);
  expect({ ...result, log }).toMatchObject({ verdict, exitCode, log: '' });
  expect(result.message).not.toBe('');
  expect(result.trouble).toBeUndefined();
});

it.each(['debian/tests/control', 'debian/changelog'])(
  'a package whose %s is a pipe fails, though its runner would be requested for ever',
  async (name) => {
    const tree = await sourceTree(machine.workPath, PASS);
    await rm(join(tree, name));
    execFileSync('mkfifo', [join(tree, name)]);
    const result = await machine.runner.run(leaseOfTree(tree), () => undefined, never);
    expect(result).toMatchObject({
      verdict: 'fail',
      exitCode: null,
      message: `its files cannot be read: ${name} is a pipe`,
    });
    expect(result.trouble).toBeUndefined();
  },
);

describe('a small testbed', () => {
  let small: TestMachine;
  beforeAll(async () => (small = await openMachine({ runTmpfsBytes: 64 * 1024 ** 2 })));
  afterAll(async () => small?.close());

  it('a testbed that has no room for its image is tmpfail, and the trouble is the machine', async () => {
    const tree = await sourceTree(small.workPath, PASS);
    const result = await small.runner.run(leaseOfTree(tree), () => undefined, never);
    expect(result).toMatchObject({ verdict: 'tmpfail', exitCode: 16, version: null });
    expect(['machine', 'testbed']).toContain(result.trouble);
  });
});

it('a runner that does not know an option of ours is tmpfail', async () => {
  const runner = await openMachine({ variants: { autopkgtest: ['autopkgtest', '--no-such-option'] } });
  try {
    const result = await runner.runner.run(lease(), () => undefined, never);
    expect(result).toMatchObject({ verdict: 'tmpfail', exitCode: 20 });
  } finally {
    await runner.close();
  }
});
