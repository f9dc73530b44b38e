import { processLogger } from './logger';
import { withLogFields } from './log-fields';

/** Returns the output of the logger while `work` was running. */
async function textOf(
  env: NodeJS.ProcessEnv,
  work: (logger: ReturnType<typeof processLogger>) => unknown,
): Promise<string> {
  const lines: string[] = [];
  const outputs = [process.stdout, process.stderr].map((output) =>
    jest.spyOn(output, 'write').mockImplementation((text) => {
      lines.push(String(text));
      return true;
    }),
  );
  try {
    await work(processLogger(env));
  } finally {
    for (const output of outputs) output.mockRestore();
  }
  return lines.join('');
}

const JSON_LOG = { PROCTOR_LOG: 'json' };

it('lines for people have time, part and message, and no fields', async () => {
  const text = await textOf({}, (logger) =>
    withLogFields({ worker: 'w1', run: 42 }, () => logger.warn('it is late', 'Slot')),
  );
  expect(text).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN Slot: it is late\n$/);
});

it('a JSON line carries the fields of the work that it belongs to, also of what that has started', async () => {
  const text = await textOf(JSON_LOG, (logger) =>
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
  const text = await textOf(JSON_LOG, (logger) =>
    withLogFields({ message: 'other', level: 'none' }, () => logger.log('hello', 'Slot')),
  );
  expect(JSON.parse(text)).toMatchObject({ level: 'log', message: 'hello' });
});

const FORGED = 'x\n12:00:00.000 ERROR Dispatcher: \u001b[31mall is lost\u202e\ud800';

/** Each way in which a text reaches a line. */
const WAYS: [string, (logger: ReturnType<typeof processLogger>) => void][] = [
  ['as a message', (logger) => logger.warn(FORGED, 'Reports')],
  ['as a part that writes', (logger) => logger.log('hello', FORGED)],
  [
    'as a field',
    (logger) => withLogFields({ worker: FORGED, [FORGED]: 1 }, () => logger.log('all is lost', 'Slot')),
  ],
  ['as an error', (logger) => logger.error(new Error(FORGED), 'Reports')],
  ['as a stack', (logger) => logger.error('failed', new Error(FORGED).stack, 'Reports')],
  ['in the place of a stack', (logger) => logger.error('failed', FORGED, 'Reports')],
  ['as a value', (logger) => logger.log({ name: FORGED, list: [FORGED] }, 'Reports')],
  [
    'as the cause of an error',
    (logger) => logger.error(new Error('no', { cause: new Error(FORGED) }), 'Reports'),
  ],
];

describe.each([
  ['lines for people', {}],
  ['JSON lines', JSON_LOG],
])('of %s', (_, env) => {
  it.each(WAYS)('a text from outside is escaped %s', async (_way, write) => {
    const text = await textOf(env, write);
    expect(text).toContain('all is lost');
    expect(text).not.toMatch(/^\d\d:\d\d:\d\d\.\d{3} ERROR Dispatcher/m);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    const [first, ...others] = text.trimEnd().split('\n');
    if (env === JSON_LOG)
      expect(others.map((line) => JSON.parse(line) as unknown)).toHaveLength(others.length);
    else for (const line of others) expect(line).toMatch(/^ {4}/);
    if (env !== JSON_LOG) expect(first).toMatch(/^\d\d:\d\d:\d\d\.\d{3} /);
  });
});

it('the places of our own errors keep their lines', async () => {
  const text = await textOf({}, (logger) => logger.error(new Error('no turn').stack, 'Dispatcher'));
  expect(text).toMatch(/^\S+ ERROR Dispatcher: Error: no turn\n {4}at .+\n {4}at /);
});
