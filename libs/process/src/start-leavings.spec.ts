import { freeStartLeavings } from './start-leavings';

it('what nobody holds any more is freed after the start', async () => {
  let tell: (what: string) => void;
  const freed = new Promise<string>((resolve) => (tell = resolve));
  const registry = new FinalizationRegistry<string>((what) => tell(what));
  registry.register({}, 'an object of the start');
  // Nothing else keeps the program running then.
  const running = setInterval(() => undefined, 1_000);
  freeStartLeavings(0);
  expect(await freed).toBe('an object of the start');
  clearInterval(running);
  expect(registry).toBeDefined();
});
