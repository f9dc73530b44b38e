import { prepareImage } from '@test/support/worker-images';
import { lease, liveLog, openMachine, storedLog, type TestMachine } from './test-machine';

let machine: TestMachine;
prepareImage();
beforeAll(async () => (machine = await openMachine()));
afterAll(async () => machine?.close());

it.each([
  ['hello', 'pass', 0],
  ['figlet', 'fail', 4],
  ['patch', 'neutral', 8],
])('%s ends as %s (exit code %i)', async (name, verdict, exitCode) => {
  machine.chunks.length = 0;
  const started = jest.fn();
  const result = await machine.runner.run(lease({ package: name }), started, new AbortController().signal);
  expect(result).toMatchObject({ verdict, exitCode });
  const image = {
    name: expect.stringMatching(/^unshare\/[a-z]+\/[a-z0-9]+$/),
    builtAtMs: expect.any(Number),
  };
  expect(result.image).toEqual(image);
  expect(result.version).toMatch(/^\d/);
  expect(result.message).not.toBe('');
  expect(started).toHaveBeenCalledTimes(1);
  const log = await storedLog(result);
  expect(log).toContain(`autopkgtest`);
  expect(log).toContain(name);
  expect(liveLog(machine.chunks)).toBe(log);
});
