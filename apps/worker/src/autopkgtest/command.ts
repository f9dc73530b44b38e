import {
  isAptLine,
  isArchitecture,
  isPackageName,
  isPinSpec,
  isWord,
  type TestbedImage,
  type TestRequest,
} from '@proctor/contracts';
import type { Pin } from '@proctor/request-fields';
import { sourceLogins } from './source-logins';
import { UnsafeRequest } from './unsafe-request';

/** The arguments that a backend adds to the command. */
export interface TestbedArguments {
  /** Options of the runner that prepare this kind of testbed. */
  options: string[];
  /** Options that first update it from the archive. */
  upgrade?: string[];
  /** The virtualisation server and its arguments. */
  server: string[];
  /** A command that executes the runner, given as its arguments, in the environment that the server needs. */
  wrapper?: string[];
  /** The wrapper is root of a user namespace within the sandbox, and of a network of its own where the machine allows it. */
  asRoot?: boolean;
  /** The testbed is the machine itself: the sandbox sees its files. */
  wholeMachine?: boolean;
  /** Interpreters of foreign programs, as lines of binfmt_misc's `register` file. */
  interpreters?: string[];
  /** Its image; absent where the backend has no images of its own. */
  image?: TestbedImage | undefined;
}

export interface CommandParts {
  /** The variant's command and its first arguments. */
  runner: string[];
  /** The variant's version; null: unknown. */
  version: string | null;
  /** The subject of the test: the request's source package, or a local source tree. */
  subject: string;
  outputFolder: string;
  /** Files of the extra sources' public keys, ASCII-armoured. */
  signingKeyFiles: string[];
  /** File of apt_auth.conf(5) with the users and passwords of the extra sources. */
  loginsFile?: string | undefined;
  testbed: TestbedArguments;
  /** Suite of a pin → the name by which apt pins it, if different. */
  pinNames?: ReadonlyMap<string, string>;
  /** Environment variables of the tests; their texts hold no single quote. */
  environment?: Record<string, string>;
  /** Time limit of one test; the runner's own by default. */
  testTimeoutMs?: number;
}

/** Most bytes of one argument of execve(2), without its NUL (MAX_ARG_STRLEN of Linux). */
const ARGUMENT_BYTES_MAX = 128 * 1024 - 1;

/**
 * Most bytes of all arguments: half of what Linux allows for them and the environment with the usual limit of the
 * stack.
 */
const COMMAND_BYTES_MAX = 1024 * 1024;

/** The part of an argument that names it to people: `--env=ADT_TEST_TRIGGERS`, `--pin-packages`. */
const OPTION = /^--?[a-z-]+(=[A-Z_]+(?==))?/;

/** execve(2) also counts a pointer for each argument. */
const POINTER_BYTES = 8;

/** Checks the dispatcher's request again. @throws UnsafeRequest naming the value */
export function checkRequest(request: TestRequest): void {
  require(isPackageName(request.package), 'package', request.package);
  require(isWord(request.suite), 'suite', request.suite);
  require(isArchitecture(request.arch), 'architecture', request.arch);
  require(isWord(request.backend), 'backend', request.backend);
  require(isWord(request.variant), 'variant', request.variant);
  for (const [spec, suite] of request.pinPackages) {
    require(isPinSpec(spec), 'pin', spec);
    require(isWord(suite), "pin's suite", suite);
  }
  for (const source of request.extraAptSources) {
    require(isWord(source.name), 'extra source', source.name);
    // The line itself may hold a password.
    if (!source.lines.every(isAptLine))
      throw new UnsafeRequest(
        `a line of the extra source ${source.name} is not safe to pass to a test runner`,
      );
  }
}

/**
 * The test runner's command line. Each value is one argument, and no shell reads it.
 * @throws UnsafeRequest when it is too long to be executed
 */
export function autopkgtestCommand(request: TestRequest, parts: CommandParts): string[] {
  return checkLength(commandOf(request, parts));
}

/**
 * The runner's time limit for its own quick steps; in one of them apt chooses what it installs. The default of 100 s is
 * too short on a machine with more slots than processors, and where programs are emulated.
 */
const SHORT_STEP_S = 600;

/** Checks the lengths of the arguments. Only those of the request can be too long. */
function checkLength(command: string[]): string[] {
  const lengths = command.map((argument) => Buffer.byteLength(argument));
  const longest = Math.max(...lengths);
  if (longest > ARGUMENT_BYTES_MAX) {
    const [name = ''] = OPTION.exec(command[lengths.indexOf(longest)] ?? '') ?? [];
    throw new UnsafeRequest(
      `${name} would have ${longest} bytes; no argument of a program may have more than ${ARGUMENT_BYTES_MAX}`,
    );
  }
  const total = lengths.reduce((sum, length) => sum + length + 1 + POINTER_BYTES, 0);
  if (total <= COMMAND_BYTES_MAX) return command;
  throw new UnsafeRequest(
    `the test runner's command line would have ${total} bytes, more than ${COMMAND_BYTES_MAX}`,
  );
}

function commandOf(request: TestRequest, parts: CommandParts): string[] {
  const sources = sourceLogins(request).lines;
  return [
    ...(parts.testbed.wrapper ?? []),
    ...parts.runner,
    '--no-built-binaries',
    '--output-dir',
    parts.outputFolder,
    `--timeout-short=${SHORT_STEP_S}`,
    ...(hasOption(parts.version, '--test-architecture') ? [`--test-architecture=${request.arch}`] : []),
    ...(parts.testTimeoutMs === undefined ? [] : [`--timeout-test=${Math.ceil(parts.testTimeoutMs / 1000)}`]),
    ...(parts.testbed.upgrade ?? []),
    ...parts.testbed.options,
    ...parts.signingKeyFiles.map(
      (file, index) => `--copy=${file}:/etc/apt/trusted.gpg.d/proctor-${index}.asc`,
    ),
    ...(parts.loginsFile ? [`--copy=${parts.loginsFile}:/etc/apt/auth.conf.d/proctor.conf`] : []),
    ...sources.map((line) => `--add-apt-source=${line}`),
    ...pinOptions(request.pinPackages, sources.length > 0, parts.pinNames),
    ...Object.entries(parts.environment ?? {}).map(([name, text]) => `--env=${name}=${text}`),
    ...(request.trigger === null ? [] : [`--env=ADT_TEST_TRIGGERS=${quotable(request.trigger)}`]),
    parts.subject,
    '--',
    ...parts.testbed.server,
  ];
}

/** Runners put the environment between single quotes in a shell script; no real trigger has a quote or a NUL. */
function quotable(trigger: string): string {
  return trigger.replace(/['\0]/g, '?');
}

function require(holds: boolean, what: string, value: string): void {
  if (!holds)
    throw new UnsafeRequest(`the ${what} ${JSON.stringify(value)} is not safe to pass to a test runner`);
}

/**
 * The options for a run's pins. With extra sources no release is added: pins use the releases that exist already.
 * @param names suite → the name by which apt pins it, if different
 */
function pinOptions(
  pins: Pin[],
  hasExtraSources: boolean,
  names: ReadonlyMap<string, string> = new Map(),
): string[] {
  const suites = [...new Set(pins.map(([, suite]) => suite))];
  return suites.flatMap((suite) => {
    const specs = pins.filter(([, other]) => other === suite).map(([spec]) => spec);
    const release = hasExtraSources ? [] : [`--add-apt-release=${suite}`];
    return [...release, `--pin-packages=${names.get(suite) ?? suite}=${specs.join(',')}`];
  });
}

/** Option of autopkgtest → the first version that has it. */
const SINCE = {
  '--test-architecture': [5, 43],
} as const;

type NewerOption = keyof typeof SINCE;

/** Whether a version of autopkgtest has an option. An unknown version counts as one without newer options. */
export function hasOption(version: string | null, option: NewerOption): boolean {
  const [major, minor] =
    /^(\d+)\.(\d+)/
      .exec(version ?? '')
      ?.slice(1)
      .map(Number) ?? [];
  if (major === undefined || minor === undefined) return false;
  const [sinceMajor, sinceMinor] = SINCE[option];
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor);
}
