import { CommanderError } from 'commander';
import { EXIT, Failure } from './failure';
import { createProgram } from './program';

beforeEach(() => {
  // Commander says there what it throws.
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => jest.restoreAllMocks());

const typed = (args: string[]) => createProgram().parseAsync(args, { from: 'user' });

it.each([
  ['an unknown command', ['nonsense'], /unknown command 'nonsense'/],
  ['a user without a name', ['user', 'add'], /missing required argument 'name'/],
  ['a key without an option for its name', ['key', 'create', 'ann'], /--name <text>' not specified/],
  [
    'a cancellation of something that is no id',
    ['run', 'cancel', '1', 'x'],
    /'x' is invalid.*the id of a run/,
  ],
  ['a priority of 11', ['run', 'priority', '11', '1'], /'11' is invalid.*from 1 to 10/],
  ['a pause without a reason', ['pause'], /--reason <text>' not specified/],
  ['an end of the drain of no worker', ['worker', 'resume'], /missing required argument 'worker'/],
])('the command line refuses %s before it loads the command', async (_what, args, message) => {
  const refusal = typed(args);
  await expect(refusal).rejects.toThrow(CommanderError);
  await expect(refusal).rejects.toThrow(message);
});

it('a command refuses a key with an empty name before it opens the database', async () => {
  const refusal = typed(['key', 'create', 'ann', '--name', '']);
  await expect(refusal).rejects.toThrow(Failure);
  await expect(refusal).rejects.toMatchObject({
    code: EXIT.usage,
    message: expect.stringMatching(/name/) as string,
  });
});
