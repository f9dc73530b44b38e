import { Interrupted, Stops } from '../rehearsal/stops';

it('a rehearsal ends what it has started once, the last first, also what did not start', async () => {
  const [stops, ends] = [new Stops(), [] as string[]];
  await stops.start(
    () => Promise.resolve(),
    () => ends.push('first'),
  );
  await expect(
    stops.start(
      () => Promise.reject(new Error('no port')),
      () => ends.push('second'),
    ),
  ).rejects.toThrow('no port');
  await stops.within((own) => Promise.resolve(own.add(() => ends.push('within'))));
  stops.add(() => Promise.reject(new Error('it is stuck')));
  await expect(stops.now()).rejects.toThrow('not everything could be ended');
  expect(ends).toEqual(['within', 'second', 'first']);
});

it('a rehearsal that is interrupted waits for what is starting, and starts nothing more', async () => {
  const [stops, calls] = [new Stops(), [] as string[]];
  let isThere = (): void => undefined;
  const starting = stops.start(
    () => new Promise<void>((resolve) => (isThere = resolve)).then(() => calls.push('started')),
    () => calls.push('ended'),
  );
  const over = stops.now();
  await expect(stops.during(() => Promise.resolve())).rejects.toThrow(Interrupted);
  expect(() => stops.add(() => calls.push('came too late'))).toThrow(Interrupted);
  isThere();
  await Promise.all([starting, over]);
  expect(calls).toEqual(['came too late', 'started', 'ended']);
});

it('a rehearsal that is ended twice has ended for both only when everything is', async () => {
  const [stops, ends] = [new Stops(), [] as string[]];
  stops.add(() => new Promise<void>((resolve) => setImmediate(resolve)).then(() => ends.push('slow')));
  stops.add(() => ends.push('quick'));
  await Promise.race([stops.now(), stops.now()]);
  expect(ends).toEqual(['quick', 'slow']);
});
