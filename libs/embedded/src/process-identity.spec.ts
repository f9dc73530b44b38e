import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asIdentity, commandLineOf, identify, isRunning, statusOf } from './process-identity';

describe('identities', () => {
  it('the identity of a process holds for as long as the process runs', async () => {
    const child = spawn('sleep', ['1000']);
    await once(child, 'spawn');
    const identity = identify(child.pid as number);
    expect(identity).toEqual({
      pid: child.pid,
      startTime: expect.stringMatching(/^\d+$/),
      bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(isRunning(identity!)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isRunning(identity!)).toBe(false);
    expect(identify(child.pid as number)).toBeNull();
  });

  it('the identity of a process is not that of a later process with the same pid', () => {
    const self = identify(process.pid)!;
    expect(isRunning(self)).toBe(true);
    expect(isRunning({ ...self, startTime: '1' })).toBe(false);
    expect(isRunning({ ...self, bootId: 'of an earlier boot' })).toBe(false);
  });

  it('the identity of a process is read where its name has spaces and parentheses', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'identity-'));
    const program = join(folder, 'a) S (b');
    await copyFile('/bin/sleep', program);
    const child = spawn(program, ['1000']);
    try {
      await once(child, 'spawn');
      expect(statusOf(child.pid as number)?.name).toBe('a) S (b');
      expect(Number(identify(child.pid as number)?.startTime)).toBeGreaterThan(
        Number(identify(process.pid)?.startTime),
      );
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(folder, { recursive: true });
    }
  });

  it('the identity of a process comes back from JSON, or is none', () => {
    const identity = { pid: 7, startTime: '12', bootId: 'b' };
    expect(asIdentity({ ...identity, url: 'x' })).toEqual(identity);
    const damaged = [{ ...identity, pid: '7' }, { pid: 7 }, { pid: 7, startTime: '12' }];
    for (const value of [null, {}, [], 'text', ...damaged]) {
      expect(asIdentity(value)).toBeNull();
    }
  });

  it('the identity of a process comes with the command line', () => {
    expect(commandLineOf(process.pid).length).toBeGreaterThan(0);
    expect(commandLineOf(2 ** 22 + 1)).toEqual([]);
  });
});
