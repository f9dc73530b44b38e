import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newWorkerView } from '@apps/api/src/pages/machines/new-worker-view';
import { createProgram } from '@apps/cli/src/program';
import { listCommands } from '@apps/cli/src/reference/tree';

const project = join(__dirname, '../../..');
const read = (path: string): string => readFileSync(join(project, path), 'utf8');

const credentials = { name: 'w17', url: 'tls://nats.example.org:4222' };
const { steps } = newWorkerView({ worker: 'w17', credentials, notice: null } as never, ['amd64']);
const lines = steps.flatMap(({ commands }) => commands.split('\n'));
/** The lines that are the same for each worker. */
const [install, check, start] = ['apt install ', 'proctor ', 'systemctl '].map(
  (begin) => lines.find((line) => line.startsWith(begin)) ?? '',
) as [string, string, string];
const VIEWS = ['machines/new-worker.eta', 'admin/new-worker.eta'];

it('each command of Proctor on the pages of a new worker is one of the command line, with its options', () => {
  const pages = VIEWS.map((name) => read(`apps/api/src/pages/views/${name}`)).join('\n');
  const typed = [check, ...[...pages.matchAll(/<code>(proctor [^<]*)<\/code>/g)].map(([, text = '']) => text)]
    .filter((text) => text.startsWith('proctor '))
    .map((text) => text.split(' '));
  expect(typed.length).toBeGreaterThan(2);
  const commands = listCommands(createProgram()).filter(({ subcommands }) => subcommands.length === 0);
  const unknown = typed.filter((words) => {
    const command = commands.find((each) => each.words.every((word, place) => words[place] === word));
    const options = words.filter((word) => word.startsWith('--'));
    return !options.every((name) => command?.options.some(({ long }) => long === name)) || !command;
  });
  expect(unknown.map((words) => words.join(' '))).toEqual([]);
});

it('the new machine installs packages, writes files and starts a unit that there are', () => {
  const control = read('deploy/debian/control');
  const names = [...install.matchAll(/\.\/([\w-]+)_\*\.deb/g)].map(([, name]) => name);
  expect(names.filter((name) => control.includes(`\nPackage: ${name}\n`))).toEqual([
    'proctor',
    'proctor-worker',
  ]);
  const unit = start.split(' ').at(-1)!;
  expect(existsSync(join(project, `deploy/systemd/${unit}.service`))).toBe(true);
  const environment = read(`deploy/systemd/${unit}.service`)
    .match(/^Environment=.*$/gm)!
    .join(' ')
    .split(/[ =]/);
  const files = lines.flatMap((line) => /\/dev\/stdin (\S+) /.exec(line)?.[1] ?? []);
  expect(files).toEqual(['/etc/proctor-worker/credentials.json', '/etc/proctor-worker/worker.yaml']);
  expect(environment).toEqual(expect.arrayContaining([files[0], files[1]!.replace('/worker.yaml', '')]));
});

it('the document about the packages has the same commands', () => {
  const document = read('docs/packages.md');
  for (const line of [install, check, start]) expect(document).toContain(`\n${line}`);
});
