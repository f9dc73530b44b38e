import { processLogger } from './logger';
import { withLogFields } from './log-fields';

/** What the logger wrote while `work` was done. */
async function written(
  env: NodeJS.ProcessEnv,
  work: (logger: ReturnType<typeof processLogger>) => unknown,
): Promise<string> {
  const lines: string[] = [];
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  try {
    await work(processLogger(env));
  } finally {
    write.mockRestore();
  }
  return lines.join('');
}

const JSON_LOG = { PROCTOR_LOG: 'json' };

it('lines for people tell time, part and message, and no fields', async () => {
  const text = await written({}, (logger) =>
    withLogFields({ worker: 'w1', run: 42 }, () => logger.warn('it is late', 'Slot')),
  );
  expect(text).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN Slot: it is late\n$/);
});

it('a JSON line carries the fields of the work that it belongs to, also of what that has started', async () => {
  const text = await written(JSON_LOG, (logger) =>
    withLogFields({ worker: 'w1' }, async () => {
      logger.log('ready', 'Worker');
      await withLogFields({ run: 42, attempt: 2 }, async () => {
        await Promise.resolve();
        logger.log('begins', 'Slot');
      });
      logger.log('idle', 'Slot');
    }),
  );
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toEqual([
    expect.objectContaining({ level: 'log', context: 'Worker', message: 'ready', worker: 'w1' }),
    expect.objectContaining({ context: 'Slot', message: 'begins', worker: 'w1', run: 42, attempt: 2 }),
    expect.objectContaining({ message: 'idle', worker: 'w1' }),
  ]);
  expect(lines[2]).not.toHaveProperty('run');
});

it('no field takes the place of what each line has', async () => {
  const text = await written(JSON_LOG, (logger) =>
    withLogFields({ message: 'other', level: 'none' }, () => logger.log('hello', 'Slot')),
  );
  expect(JSON.parse(text)).toMatchObject({ level: 'log', message: 'hello' });
});
