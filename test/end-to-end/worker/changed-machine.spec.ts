import { NotStarted } from '@apps/worker/src/slot/ports';
import type { RunUser } from '@apps/worker/src/sandbox/run-user';
import { lease, openMachine, type TestMachine } from './test-machine';

const STUB = { package: 'stub', backend: 'null', variant: 'stub' };
const never = new AbortController().signal;

let machine: TestMachine;
afterEach(async () => machine?.close());

const execute = () => machine.runner.run(lease(STUB), () => undefined, never);

it('a worker finds out again how sandboxes are opened when one cannot be, and executes the next run', async () => {
  machine = await openMachine({ backends: ['null'], networksReady: 0 });
  expect(await execute()).toMatchObject({ verdict: 'pass' });
  // As if what the worker found at its start had been true then: these ids are not the run user's.
  const inside = machine.sandboxes as unknown as { user: RunUser };
  inside.user = { ...inside.user, subUids: { start: 1, count: 65_536 } };
  await expect(execute()).rejects.toThrow(NotStarted);
  expect(machine.testbeds.currentOffer('tea')).not.toHaveProperty('problem');
  expect(await execute()).toMatchObject({ verdict: 'pass' });
});
