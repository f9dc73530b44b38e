import { DispatcherRig } from '@test/support/dispatcher-rig';
import { settings, waitingRun } from '@test/support/runs';

it('while a deployment grants nothing no run is leased, and all users see why', () => {
  const rig = new DispatcherRig([waitingRun(1)]);
  rig.send({ kind: 'settings', settings: settings({ stopped: 'the store is nearly full' }) });
  expect(rig.ask().reply.lease).toBeNull();
  expect(rig.reasons()[0]).toBe('the store is nearly full');
  const { reply } = rig.send({ kind: 'status' });
  expect(reply.stopped).toBe('the store is nearly full');
  expect(reply.queues[0]!.reasons[0]).toBe('the store is nearly full');
  rig.send({ kind: 'settings', settings: settings() });
  expect(rig.ask().reply.lease?.runId).toBe(1);
});
