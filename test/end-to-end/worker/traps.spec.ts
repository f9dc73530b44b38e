import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { prepareImage } from '@test/support/worker-images';
import { lease, leaseOfTree, openMachine, sourceTree, storedLog, type TestMachine } from './test-machine';

const never = new AbortController().signal;
let machine: TestMachine;
prepareImage();
beforeAll(async () => (machine = await openMachine()));
afterAll(async () => machine?.close());

async function runTree(script: string, overrides = {}) {
  const tree = await sourceTree(machine.workPath, script);
  const result = await machine.runner.run(leaseOfTree(tree, overrides), () => undefined, never);
  return { result, log: await storedLog(result), name: basename(tree) };
}

it('a worker passes a tree whose test passes, with the trigger in its environment', async () => {
  const { result, log } = await runTree('#!/bin/sh\necho "triggers: $ADT_TEST_TRIGGERS"\n', {
    trigger: 'glibc/2.36-9 foo/1 $(id)',
  });
  expect(result).toMatchObject({ verdict: 'pass', exitCode: 0, version: '1.0-1' });
  expect(log).toContain('triggers: glibc/2.36-9 foo/1 $(id)');
});

it('a worker ends a tree whose version is rejected before its test', async () => {
  const { result, log, name } = await runTree('#!/bin/sh\necho "the test has begun"\n', {
    rejectedVersions: ['1.0-1'],
  });
  expect(result).toMatchObject({ verdict: 'fail', version: '1.0-1' });
  expect(result.message).toContain(`version 1.0-1 of ${name} is on the reject list`);
  expect(log).toContain('testing package crafted version 1.0-1');
  expect(log).not.toContain('the test has begun');
});

it('a worker does not pass with an extra source that cannot be reached', async () => {
  const { result } = await runTree('#!/bin/sh\ntrue\n', {
    extraAptSources: [{ name: 'gone', lines: ['deb http://127.0.0.1:9/debian x main'] }],
  });
  expect(result).toMatchObject({ verdict: 'tmpfail', trouble: 'archive' });
  expect([16, 20]).toContain(result.exitCode);
});

it('a worker passes a canary test, and fails it without an image', async () => {
  const { suite, arch, backend, variant } = lease();
  const test = { canary: '1.1', suite, arch, backend, variant };
  await expect(machine.canaries.execute(test, never)).resolves.toEqual({
    passed: true,
    message: 'all tests passed',
  });
  const other = machine.canaries.execute({ ...test, suite: 'nosuch' }, never);
  await expect(other).rejects.toThrow(`there is no image nosuch/${arch}`);
  expect(await readdir(join(machine.workPath, 'runs'))).toEqual([]);
});

describe('loopback', () => {
  let server: Server;
  let connections = 0;
  beforeAll(async () => {
    server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => server.close());

  it('a test cannot reach a listener on the loopback of this machine, nor through the gateway', async () => {
    const { port } = server.address() as AddressInfo;
    const script = `#!/usr/bin/python3
import socket
for host in ('127.0.0.1', '10.0.2.2'):
    try:
        socket.create_connection((host, ${port}), timeout=5).close()
        print(host, 'was reached')
    except OSError as error:
        print(host, 'is out of reach')
`;
    const { result, log } = await runTree(script);
    expect(result.verdict).toBe('pass');
    expect(log).toContain('127.0.0.1 is out of reach');
    expect(log).toContain('10.0.2.2 is out of reach');
    expect(connections).toBe(0);
  });
});
