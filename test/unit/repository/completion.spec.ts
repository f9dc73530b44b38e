import { createProgram } from '@apps/cli/src/program';
import { completionScript } from '@apps/cli/src/reference/completion';
import { listCommands } from '@apps/cli/src/reference/tree';
import { offeredByFish, offeredByZsh } from '@test/support/shells';

const commands = listCommands(createProgram());

const OFFERED: [line: string, offered: string[]][] = [
  ['proctor ru', ['run']],
  ['proctor run s', ['show', 'submit']],
  ['proctor run submit hello --su', ['--suite']],
  ['proctor --context x worker dr', ['drain']],
  ['proctor --context=x run sh', ['show']],
  ['proctor worker drain w1 --dead', ['--deadline']],
  ['proctor completion _pro', ['_proctor']],
  ['proctor run submit --file ', ['_proctor']],
];

it.each(OFFERED)('fish offers behind "%s" what there is', async (line, offered) => {
  expect(await offeredByFish(completionScript('fish', commands), line)).toEqual(offered);
});

it.each(OFFERED)('zsh offers behind "%s" what there is', async (line, offered) => {
  const files = ['inner', 'outer'];
  const matches = await offeredByZsh(completionScript('zsh', commands), line, 'sourced');
  expect(matches.filter((match) => !files.includes(match))).toEqual(offered);
});

it('zsh offers the same at once when it finds the script in its $fpath', async () => {
  expect(await offeredByZsh(completionScript('zsh', commands), 'proctor run s', 'found')).toEqual([
    'show',
    'submit',
  ]);
});
