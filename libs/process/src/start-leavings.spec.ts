import { freeStartLeavings } from './start-leavings';

it('what is no longer held is freed after the start', async () => {
  let report: (what: string) => void;
  const freed = new Promise<string>((resolve) => (report = resolve));
  const registry = new FinalizationRegistry<string>((what) => report(what));
  registry.register({}, 'an object of the start');
  // Nothing else keeps the program running then.
  const running = setInterval(() => undefined, 1_000);
  freeStartLeavings(0);
  expect(await freed).toBe('an object of the start');
  clearInterval(running);
  expect(registry).toBeDefined();
});
