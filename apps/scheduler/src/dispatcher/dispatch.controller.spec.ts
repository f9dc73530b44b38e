import { BusContext } from '@proctor/bus';
import { MalformedMessage } from '@proctor/contracts';
import { DispatchController } from './dispatch.controller';
import type { Dispatchers } from './dispatchers';

const IDENTITY = { worker: 'w1', incarnation: '1b4e28ba-2fa1-41d2-883f-0016d3cca427', slot: 0 };
const HELD = { ...IDENTITY, runId: 7, attempt: 1 };

function controller(): { dispatch: DispatchController; asked: unknown[] } {
  const asked: unknown[] = [];
  const ask = (_arch: string, message: unknown) => Promise.resolve(asked.push(message));
  return { dispatch: new DispatchController({ ask } as unknown as Dispatchers), asked };
}

const contextOf = (worker: string, kind: string) =>
  new BusContext(['amd64', `proctor.rpc.amd64.${worker}.${kind}`, false]);

it.each(['w2', '*', ''])('a request on the subject of worker "%s" is not taken for one of w1', (worker) => {
  const { dispatch, asked } = controller();
  const forged = /worker: w1 is not what the subject says/;
  expect(() => dispatch.renew(HELD, contextOf(worker, 'renew'))).toThrow(forged);
  expect(() => dispatch.return({ ...HELD, reason: 'it stops' }, contextOf(worker, 'return'))).toThrow(forged);
  const ask = { ...IDENTITY, ask: IDENTITY.incarnation, testbeds: [], variants: [] };
  expect(() => dispatch.lease(ask, contextOf(worker, 'lease'))).toThrow(MalformedMessage);
  expect(asked).toEqual([]);
});

it('a request on the subject of its own worker reaches the dispatcher', async () => {
  const { dispatch, asked } = controller();
  await dispatch.renew(HELD, contextOf('w1', 'renew'));
  expect(asked).toMatchObject([{ kind: 'renew', request: HELD }]);
});
