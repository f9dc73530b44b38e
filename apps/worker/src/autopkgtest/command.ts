import { isAptLine, isArchitecture, isPackageName, isPinSpec, isWord, type Lease } from '@proctor/contracts';
import { pinOptions } from './pins';
import { hasOption } from './runner-options';
import { sourceLogins } from './source-logins';
import { UnsafeLease } from './unsafe-lease';

/** What a backend adds to the command. */
export interface TestbedArguments {
  /** Options of the runner that prepare this kind of testbed. */
  options: string[];
  /** Options that bring it up to date from the archive first. */
  upgrade?: string[];
  /** The virtualisation server and its arguments. */
  server: string[];
  /** A command that executes the runner, which follows as its arguments, in surroundings that the server needs. */
  wrapper?: string[];
  /** The server needs a control group of its own. */
  cgroup?: boolean;
  /** The testbed is the machine itself: its files are seen in the sandbox. */
  wholeMachine?: boolean;
  /** Interpreters of foreign programs, as lines of binfmt_misc's `register` file. */
  interpreters?: string[];
}

export interface CommandParts {
  /** The variant's command and its first arguments. */
  runner: string[];
  /** The variant's version; null: unknown. */
  version: string | null;
  /** What is tested: the lease's source package, or a local source tree. */
  subject: string;
  outputFolder: string;
  /** Files of the extra sources' public keys, ASCII-armoured. */
  signingKeyFiles: string[];
  /** File of apt_auth.conf(5) with their users and passwords. */
  loginsFile?: string | undefined;
  testbed: TestbedArguments;
  /** Suite of a pin → the name by which apt pins it, where that is another. */
  pinNames?: ReadonlyMap<string, string>;
  /** Environment variables of the tests; their texts hold no single quote. */
  environment?: Record<string, string>;
  /** How long one test may take, where it is not left to the runner. */
  testTimeoutMs?: number;
}

/** What execve(2) takes of one argument, its NUL not counted (MAX_ARG_STRLEN of Linux). */
const ARGUMENT_BYTES_MAX = 128 * 1024 - 1;

/** Of all arguments: half of what Linux takes of them and the environment with the usual limit of the stack. */
const COMMAND_BYTES_MAX = 1024 * 1024;

/** What names an argument to people: `--env=ADT_TEST_TRIGGERS`, `--pin-packages`. */
const OPTION = /^--?[a-z-]+(=[A-Z_]+(?==))?/;

/** execve(2) counts a pointer for each argument besides. */
const POINTER_BYTES = 8;

/** Checks again what the dispatcher sent. @throws UnsafeLease naming the value */
export function checkLease(lease: Lease): void {
  require(isPackageName(lease.package), 'package', lease.package);
  require(isWord(lease.suite), 'suite', lease.suite);
  require(isArchitecture(lease.arch), 'architecture', lease.arch);
  require(isWord(lease.backend), 'backend', lease.backend);
  require(isWord(lease.variant), 'variant', lease.variant);
  for (const [spec, suite] of lease.pinPackages) {
    require(isPinSpec(spec), 'pin', spec);
    require(isWord(suite), "pin's suite", suite);
  }
  for (const source of lease.extraAptSources) {
    require(isWord(source.name), 'extra source', source.name);
    // The line itself may hold a password.
    if (!source.lines.every(isAptLine))
      throw new UnsafeLease(`a line of the extra source ${source.name} is not safe to hand to a test runner`);
  }
}

/**
 * The test runner's command line; each value is one argument, no shell reads it.
 * @throws UnsafeLease when it is too long to be executed
 */
export function autopkgtestCommand(lease: Lease, parts: CommandParts): string[] {
  return checkLength(commandOf(lease, parts));
}

/** Everything beside the lease is short: what is too long comes from there. */
function checkLength(command: string[]): string[] {
  const lengths = command.map((argument) => Buffer.byteLength(argument));
  const longest = Math.max(...lengths);
  if (longest > ARGUMENT_BYTES_MAX) {
    const [name = ''] = OPTION.exec(command[lengths.indexOf(longest)] ?? '') ?? [];
    throw new UnsafeLease(
      `${name} would have ${longest} bytes; no argument of a program may have more than ${ARGUMENT_BYTES_MAX}`,
    );
  }
  const total = lengths.reduce((sum, length) => sum + length + 1 + POINTER_BYTES, 0);
  if (total <= COMMAND_BYTES_MAX) return command;
  throw new UnsafeLease(
    `the test runner's command line would have ${total} bytes, more than ${COMMAND_BYTES_MAX}`,
  );
}

function commandOf(lease: Lease, parts: CommandParts): string[] {
  const sources = sourceLogins(lease).lines;
  return [
    ...(parts.testbed.wrapper ?? []),
    ...parts.runner,
    '--no-built-binaries',
    '--output-dir',
    parts.outputFolder,
    ...(hasOption(parts.version, '--test-architecture') ? [`--test-architecture=${lease.arch}`] : []),
    ...(parts.testTimeoutMs === undefined ? [] : [`--timeout-test=${Math.ceil(parts.testTimeoutMs / 1000)}`]),
    ...(parts.testbed.upgrade ?? []),
    ...parts.testbed.options,
    ...parts.signingKeyFiles.map(
      (file, index) => `--copy=${file}:/etc/apt/trusted.gpg.d/proctor-${index}.asc`,
    ),
    ...(parts.loginsFile ? [`--copy=${parts.loginsFile}:/etc/apt/auth.conf.d/proctor.conf`] : []),
    ...sources.map((line) => `--add-apt-source=${line}`),
    ...pinOptions(lease.pinPackages, sources.length > 0, parts.pinNames),
    ...Object.entries(parts.environment ?? {}).map(([name, text]) => `--env=${name}=${text}`),
    ...(lease.trigger === null ? [] : [`--env=ADT_TEST_TRIGGERS=${quotable(lease.trigger)}`]),
    parts.subject,
    '--',
    ...parts.testbed.server,
  ];
}

/** Runners put the environment between single quotes in a shell script; no real trigger holds one, nor a NUL. */
function quotable(trigger: string): string {
  return trigger.replace(/['\0]/g, '?');
}

function require(holds: boolean, what: string, value: string): void {
  if (!holds)
    throw new UnsafeLease(`the ${what} ${JSON.stringify(value)} is not safe to hand to a test runner`);
}
