import type { RunFolder } from '../sandbox/run-folder';
import type { Sandbox, SandboxUse } from '../sandbox/sandbox';
import { Unusable } from '../sandbox/unusable';
import { NotStarted } from '../slot/ports';
import { SandboxOpener } from './sandbox-opener';

const FOLDER = { errors: '/nowhere/errors' } as RunFolder;
const USE = {} as SandboxUse;
const OPENED = {} as Sandbox;

/** `failures`: of the next sandboxes, null for one that is opened. */
function makeOpener(failures: (Error | null)[]) {
  const testbeds = { recheck: jest.fn(() => Promise.resolve()), isBroken: false };
  const start = jest.fn(() => {
    const failure = failures.shift();
    return failure ? Promise.reject(failure) : Promise.resolve(OPENED);
  });
  const opener = new SandboxOpener({ start }, testbeds);
  const open = () => opener.open(FOLDER, USE);
  return { open, testbeds };
}

const denied = () => new Error('slirp4netns: open("/dev/net/tun"): Permission denied');

it('looks again how sandboxes are opened here before another run fails for it', async () => {
  const { open, testbeds } = makeOpener([denied(), null]);
  await expect(open()).rejects.toThrow(NotStarted);
  expect(testbeds.recheck).toHaveBeenCalledWith(expect.stringContaining('Permission denied'));
  expect(await open()).toBe(OPENED);
  expect(testbeds.recheck).toHaveBeenCalledTimes(1);
});

it('has the next run fail, and count, when a trial found nothing wrong and it is no better', async () => {
  const { open, testbeds } = makeOpener([denied(), denied(), null, denied()]);
  await expect(open()).rejects.toThrow(NotStarted);
  const second = open();
  await expect(second).rejects.toThrow('Permission denied');
  await expect(second).rejects.not.toBeInstanceOf(NotStarted);
  expect(testbeds.recheck).toHaveBeenCalledTimes(2);
  await open();
  await expect(open()).rejects.toThrow(NotStarted);
});

it('takes those that were begun before it was known for one', async () => {
  const { open } = makeOpener([denied(), denied()]);
  const both = await Promise.allSettled([open(), open()]);
  expect(both.map((each) => each.status === 'rejected' && each.reason instanceof NotStarted)).toEqual([
    true,
    true,
  ]);
});

it('fails no run while the machine takes no work', async () => {
  const { open, testbeds } = makeOpener([denied(), denied()]);
  testbeds.isBroken = true;
  await expect(open()).rejects.toThrow(NotStarted);
  await expect(open()).rejects.toThrow(NotStarted);
});

it('begins none while it is found out how they are opened', async () => {
  const { open, testbeds } = makeOpener([denied(), new Unusable('no sandbox was proved to work')]);
  await expect(open()).rejects.toThrow(NotStarted);
  await expect(open()).rejects.toThrow(NotStarted);
  expect(testbeds.recheck).toHaveBeenCalledTimes(1);
});

it('does not doubt the machine for a command line that is too long', async () => {
  const { open, testbeds } = makeOpener([Object.assign(new Error('spawn E2BIG'), { code: 'E2BIG' })]);
  await expect(open()).rejects.toThrow('spawn E2BIG');
  expect(testbeds.recheck).not.toHaveBeenCalled();
});
