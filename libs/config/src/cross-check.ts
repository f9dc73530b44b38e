import { access, constants, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { OWN_BACKENDS } from '@proctor/contracts';
import type { Configuration } from './configuration';
import { DEBIAN_SUITES } from './debian';
import { FILES, FolderContent, type FileName } from './folder';
import { configurationFolder, interpret } from './load';
import { suggestionFor, nearest } from './nearest';
import { ConfigurationError, YamlFile, type YamlPath } from './yaml-file';

/** Architectures of Debian and of its ports, as dpkg-architecture(1) lists them; without `all`, on which nothing is executed. */
const ARCHITECTURES: readonly string[] = [
  ...['amd64', 'arm64', 'armel', 'armhf', 'i386', 'mips64el', 'mipsel', 'ppc64el', 'riscv64', 's390x'],
  ...[
    'alpha',
    'arc',
    'hppa',
    'hurd-amd64',
    'hurd-i386',
    'ia64',
    'kfreebsd-amd64',
    'kfreebsd-i386',
    'loong64',
  ],
  ...['m68k', 'mips', 'mips64', 'or1k', 'powerpc', 'powerpcspe', 'ppc64', 'sh4', 'sparc', 'sparc64', 'x32'],
];

/** Warnings: every process accepts these values, but they are probably mistakes. */
type Warn = (file: FileName, path: YamlPath, text: string) => void;

/** Names that look like files of a configuration. */
const YAML_NAME = /\.ya?ml$/;

/** The problems and the warnings of a folder, a line each. */
interface FolderCheck {
  /** Errors: no process accepts the folder while there is one. */
  problems: string[];
  /** Settings that are not used, or do not work on this machine. */
  warnings: string[];
}

/** Checks a configuration folder as a process would, and compares its files. */
export async function checkFolder(env: NodeJS.ProcessEnv = process.env): Promise<FolderCheck> {
  const content = await FolderContent.read(configurationFolder(env));
  try {
    const configuration = interpret(content, env);
    return { problems: [], warnings: await listWarnings(content, configuration, env) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { problems: error.problems, warnings: await unknownFiles(content.folder) };
  }
}

/**
 * Lists probable mistakes in a valid folder: names that another file does not define or that no worker offers, programs
 * and secret files that this machine does not have, files that no process reads. worker.yaml is compared if it exists:
 * other machines have their own.
 * @param env its PATH is searched for programs
 * @returns a line each, with file, line and key
 */
async function listWarnings(
  content: FolderContent,
  configuration: Configuration,
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const warnings: string[] = [];
  const parsed = new Map<FileName, YamlFile>();
  const warn: Warn = (file, path, text) => {
    const schema = file === 'reject-list.yaml' ? 'failsafe' : 'core';
    const yaml = parsed.get(file) ?? YamlFile.parse(content.pathOf(file), content.textOf(file), schema);
    parsed.set(file, yaml);
    warnings.push(yaml.problem(path, text));
  };
  const has = (file: FileName): boolean => content.textOf(file).trim() !== '';
  warnings.push(...(await unknownFiles(content.folder)));
  checkServerNames(configuration, warn);
  await checkSecretFiles(configuration, warn);
  checkSupersede(configuration, warn);
  checkRejectList(configuration, warn);
  if (has('worker.yaml')) {
    checkWorkerNames(configuration, warn);
    await checkWorkerPrograms(configuration, env, warn);
    if (has('proctor.yaml')) compareServerAndWorker(configuration, warn);
  }
  return warnings;
}

async function unknownFiles(folder: string): Promise<string[]> {
  const files: readonly string[] = FILES;
  // If it is no folder, that is already a problem.
  const all = await readdir(folder).catch(() => []);
  const names = all.sort().filter((name) => !files.includes(name));
  return names
    .filter((name) => YAML_NAME.test(name) || nearest(name, files) !== null)
    .map((name) => `${join(folder, name)}: is a file that no process reads${suggestionFor(name, files)}`);
}

/**
 * Warns of an architecture that Debian does not have, and of a suite whose name is almost one of Debian's: a deployment
 * may have its own suites.
 */
function checkServerNames({ server }: Configuration, warn: Warn): void {
  for (const arch of server.architectures)
    if (!ARCHITECTURES.includes(arch))
      warn(
        'proctor.yaml',
        ['architectures'],
        `${arch} is no architecture of Debian${suggestionFor(arch, ARCHITECTURES)}`,
      );
  for (const suite of server.suites)
    if (!DEBIAN_SUITES.includes(suite) && nearest(suite, DEBIAN_SUITES) !== null)
      warn(
        'proctor.yaml',
        ['suites'],
        `${suite} is no suite that Debian has had${suggestionFor(suite, DEBIAN_SUITES)}`,
      );
}

function checkSupersede({ server }: Configuration, warn: Warn): void {
  for (const [index, { suite }] of server.supersede.entries())
    if (!server.suites.includes(suite))
      warn(
        'proctor.yaml',
        ['api', 'supersede', index, 'suite'],
        `suite ${suite} is not tested${suggestionFor(suite, server.suites)}`,
      );
}

async function checkSecretFiles({ server }: Configuration, warn: Warn): Promise<void> {
  for (const [index, { clientSecretFile: file }] of server.login.providers.entries())
    if (file !== undefined && !(await isAccessible(file, constants.F_OK)))
      warn(
        'proctor.yaml',
        ['api', 'login', 'providers', index, 'clientSecretFile'],
        `${file} does not exist`,
      );
  const file = server.mail?.passwordFile;
  if (file !== undefined && !(await isAccessible(file, constants.F_OK)))
    warn('proctor.yaml', ['api', 'mail', 'passwordFile'], `${file} does not exist`);
}

function checkRejectList({ rejectList, server }: Configuration, warn: Warn): void {
  const { suites, architectures } = server;
  for (const [name, places] of Object.entries(rejectList))
    for (const [suite, inner] of Object.entries(places)) {
      if (suite !== '*' && !suites.includes(suite))
        warn(
          'reject-list.yaml',
          [name, suite],
          `suite ${suite} is not tested${suggestionFor(suite, suites)}`,
        );
      for (const arch of Object.keys(inner))
        if (arch !== '*' && !architectures.includes(arch))
          warn(
            'reject-list.yaml',
            [name, suite, arch],
            `architecture ${arch} is not tested${suggestionFor(arch, architectures)}`,
          );
    }
}

function checkWorkerNames({ worker }: Configuration, warn: Warn): void {
  const described = Object.keys(worker.backendCommands);
  const backends = [...OWN_BACKENDS, ...described];
  for (const name of worker.backends)
    if (!backends.includes(name))
      warn(
        'worker.yaml',
        ['backends'],
        `${name} is neither a backend of Proctor's own nor in backendCommands${suggestionFor(name, backends)}`,
      );
  for (const name of described)
    if (!worker.backends.includes(name))
      warn('worker.yaml', ['backendCommands', name], `${name} is not among backends, so it is not offered`);
  if (worker.backends.includes('null') && !worker.machineMayBeDestroyed)
    warn('worker.yaml', ['backends'], 'null is not offered without machineMayBeDestroyed: true');
  const all = [...ARCHITECTURES, 'detected'];
  for (const arch of worker.architectures)
    if (!all.includes(arch))
      warn(
        'worker.yaml',
        ['architectures'],
        `${arch} is no architecture of Debian${suggestionFor(arch, all)}`,
      );
}

async function checkWorkerPrograms(
  { worker }: Configuration,
  env: NodeJS.ProcessEnv,
  warn: Warn,
): Promise<void> {
  for (const [name, [command = '']] of Object.entries(worker.variants))
    if (!(await isProgram(command, env)))
      warn('worker.yaml', ['variants', name], `there is no program ${command} on this machine`);
  for (const [name, [server = '']] of Object.entries(worker.backendCommands)) {
    const program = server.includes('/') ? server : `autopkgtest-virt-${server}`;
    if (!(await isProgram(program, env)))
      warn('worker.yaml', ['backendCommands', name], `there is no program ${program} on this machine`);
  }
}

/**
 * Warns of what this worker offers but no request may name, and of what requests may name but this worker does not
 * offer.
 */
function compareServerAndWorker({ server, worker, scheduler }: Configuration, warn: Warn): void {
  const variants = Object.keys(worker.variants);
  const classes = Object.keys(scheduler.sizeClasses);
  const offers: [key: string, offered: string[], requestable: string[], where: string][] = [
    ['backends', worker.backends, server.backends, 'backends'],
    ['variants', variants, server.variants, 'variants'],
    ['suitesAtStart', worker.suitesAtStart, server.suites, 'suites'],
    ['suiteSources', Object.keys(worker.suiteSources), server.suites, 'suites'],
    ['sizeClasses', worker.sizeClasses, classes, 'scheduler.sizeClasses'],
    [
      'architectures',
      worker.architectures.filter((arch) => arch !== 'detected'),
      server.architectures,
      'architectures',
    ],
  ];
  for (const [key, offered, requestable, where] of offers)
    for (const name of offered)
      if (!requestable.includes(name))
        warn(
          'worker.yaml',
          [key],
          `${name} is not among ${where} of proctor.yaml${suggestionFor(name, requestable)}`,
        );
  const requests: [key: YamlPath, requestable: string[], offered: string[], where: string][] = [
    [['backends'], server.backends, worker.backends, 'backends'],
    [['variants'], server.variants, variants, 'variants'],
    [['scheduler', 'sizeClasses'], classes, worker.sizeClasses, 'sizeClasses'],
  ];
  for (const [key, names, offered, where] of requests)
    for (const name of names)
      if (!offered.includes(name)) {
        const text = `${name} is not among ${where} of worker.yaml: another worker must offer it`;
        warn('proctor.yaml', key, `${text}${suggestionFor(name, offered)}`);
      }
}

/** Searches PATH like a shell. */
async function isProgram(command: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const folders = command.includes('/') ? [''] : (env['PATH'] ?? '').split(delimiter);
  for (const folder of folders) if (await isAccessible(join(folder, command), constants.X_OK)) return true;
  return false;
}

async function isAccessible(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
