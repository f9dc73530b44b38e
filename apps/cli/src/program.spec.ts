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
  const refused = typed(args);
  await expect(refused).rejects.toThrow(CommanderError);
  await expect(refused).rejects.toThrow(message);
});

it.each([
  ['a key with an empty name', ['key', 'create', 'ann', '--name', ''], /name/],
  ['a cancellation of a bad package', ['run', 'cancel', '--package', 'No'], /the name of a source package/],
  ['a pause of a bad suite', ['pause', '--suite', '../x', '--reason', 'x'], /the name of a suite/],
  ['a drain with a blank reason', ['worker', 'drain', 'w', '--reason', ' '], /1 to 500 characters/],
  ['a drain of a bad worker', ['worker', 'drain', 'a.b', '--reason', 'x'], /the name of a worker/],
  ['trust in a bad worker', ['worker', 'trust', 'a.b'], /the name of a worker/],
])('a command refuses %s before it opens the database', async (_what, args, message) => {
  const refused = typed(args);
  await expect(refused).rejects.toThrow(Failure);
  await expect(refused).rejects.toMatchObject({
    code: EXIT.usage,
    message: expect.stringMatching(message) as string,
  });
});
