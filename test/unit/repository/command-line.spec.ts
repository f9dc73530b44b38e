import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { usualAdvice } from '@apps/cli/src/advice';
import { createProgram } from '@apps/cli/src/program';
import { completionScript } from '@apps/cli/src/reference/completion';
import { manualPage, pageName } from '@apps/cli/src/reference/man';
import { commandLinePage } from '@apps/cli/src/reference/markdown';
import { listCommands } from '@apps/cli/src/reference/tree';

const commands = listCommands(createProgram());

it('docs/command-line.md is what the commands say of themselves; npm run command-line writes it', () => {
  const page = readFileSync(join(__dirname, '../../../docs/command-line.md'), 'utf8');
  expect(page).toBe(commandLinePage(commands));
});

it.each(commands.map((command) => [command.words.join(' '), command] as const))(
  '%s says what it does, and what each option is for',
  (_name, { description, args, options }) => {
    expect(description).not.toBe('');
    expect(options.filter((option) => option.description === '')).toEqual([]);
    expect([...args, ...options].filter((each) => each.description.includes('\n'))).toEqual([]);
  },
);

/** What prints a stream, a text or a file, or a report of its own that has only words. */
const WITHOUT_JSON = [
  'proctor completion',
  'proctor config check',
  'proctor config schema',
  'proctor debug',
  'proctor events',
  'proctor man',
  'proctor run log',
  'proctor start',
  'proctor worker check',
];

it('every command that answers, decides or changes something has --json', () => {
  const without = commands.filter(
    ({ subcommands, options }) => subcommands.length === 0 && !options.some(({ long }) => long === '--json'),
  );
  expect(without.map(({ words }) => words.join(' ')).sort()).toEqual(WITHOUT_JSON);
});

it('a required option is marked in the help', () => {
  const submit = commands.find(({ words }) => words.join(' ') === 'proctor pause')!;
  expect(submit.options.find(({ long }) => long === '--reason')?.description).toMatch(/ \(required\)$/);
});

it('a manual page is roff in which nothing of a text is a command, and a hyphen is a hyphen', () => {
  const command = {
    ...commands[0]!,
    words: ['proctor', 'run-it'],
    description: '.so \'x\\y "z" `--json`',
    args: [{ name: '.id', description: "'quoted" }],
  };
  const page = manualPage(command, 'proctor 1', '2026-11-20');
  expect(pageName(command)).toBe('proctor-run-it.1');
  expect(page.split('\n').slice(0, 3)).toEqual([
    '.TH PROCTOR\\-RUN\\-IT 1 2026-11-20 "proctor 1" "User Commands"',
    '.SH NAME',
    "proctor\\-run\\-it \\- \\&.so 'x\\ey \\(dqz\\(dq \\-\\-json",
  ]);
  expect(page).toContain(".TP\n.B \\&.id\n\\&'quoted\n");
});

/** What bash offers behind a line, by the script itself. */
async function offered(line: string): Promise<string[]> {
  const words = line.split(' ');
  const script = `${completionScript('bash', commands)}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
    _proctor; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script]);
  return stdout.split('\n').filter((word) => word !== '');
}

it('bash completes commands, those below them, and options; those of a command are found behind its options', async () => {
  expect(await offered('proctor ru')).toEqual(['run']);
  expect(await offered('proctor run s')).toEqual(['submit', 'show']);
  expect(await offered('proctor run submit hello --su')).toEqual(['--suite']);
  expect(await offered('proctor --context x worker dr')).toEqual(['drain']);
  expect(await offered('proctor worker drain w1 --dead')).toEqual(['--deadline']);
});

it('every command but the start says what to do after an error, and each command that it names is there', () => {
  const names = commands.map(({ words }) => words.join(' '));
  const without = commands.filter(({ words }) => usualAdvice(words.slice(1)) === null);
  expect(without.map(({ words }) => words)).toEqual([['proctor'], ['proctor', 'start']]);
  const namedCommands = commands.flatMap(
    ({ words }) => usualAdvice(words.slice(1))?.match(/proctor [a-z]+(-[a-z]+)?( [a-z]+)?/g) ?? [],
  );
  const unknown = namedCommands.filter((name) => !names.some((each) => `${name} `.startsWith(`${each} `)));
  expect(unknown).toEqual([]);
});

it('the completion of zsh leaves `path` alone, by which zsh finds the programs that it asks', () => {
  expect(completionScript('zsh', commands)).not.toMatch(/\bpath=/);
});
