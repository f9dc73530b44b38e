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

it('a run goes back when its sandbox cannot be opened, and the worker checks how sandboxes are opened', async () => {
  const { open, testbeds } = makeOpener([denied(), null]);
  await expect(open()).rejects.toThrow(NotStarted);
  expect(testbeds.recheck).toHaveBeenCalledWith(expect.stringContaining('Permission denied'));
  expect(await open()).toBe(OPENED);
  expect(testbeds.recheck).toHaveBeenCalledTimes(1);
});

it('the next run fails, and counts, when a check found nothing wrong and its sandbox cannot be opened either', async () => {
  const { open, testbeds } = makeOpener([denied(), denied(), null, denied()]);
  await expect(open()).rejects.toThrow(NotStarted);
  const second = open();
  await expect(second).rejects.toThrow('Permission denied');
  await expect(second).rejects.not.toBeInstanceOf(NotStarted);
  expect(testbeds.recheck).toHaveBeenCalledTimes(2);
  await open();
  await expect(open()).rejects.toThrow(NotStarted);
});

it('failures of sandboxes that were begun at the same time count as one', async () => {
  const { open } = makeOpener([denied(), denied()]);
  const both = await Promise.allSettled([open(), open()]);
  expect(both.map((each) => each.status === 'rejected' && each.reason instanceof NotStarted)).toEqual([
    true,
    true,
  ]);
});

it('no run fails while the machine takes no work', async () => {
  const { open, testbeds } = makeOpener([denied(), denied()]);
  testbeds.isBroken = true;
  await expect(open()).rejects.toThrow(NotStarted);
  await expect(open()).rejects.toThrow(NotStarted);
});

it('a run goes back while the worker checks how sandboxes are opened', async () => {
  const { open, testbeds } = makeOpener([denied(), new Unusable('no sandbox was proved to work')]);
  await expect(open()).rejects.toThrow(NotStarted);
  await expect(open()).rejects.toThrow(NotStarted);
  expect(testbeds.recheck).toHaveBeenCalledTimes(1);
});

it('a command line that is too long causes no check of the machine', async () => {
  const { open, testbeds } = makeOpener([Object.assign(new Error('spawn E2BIG'), { code: 'E2BIG' })]);
  await expect(open()).rejects.toThrow('spawn E2BIG');
  expect(testbeds.recheck).not.toHaveBeenCalled();
});
