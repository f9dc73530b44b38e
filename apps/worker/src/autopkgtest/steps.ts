import type { Trouble } from '@proctor/contracts';
import { aptLines } from './apt-lines';
import type { Symptoms } from './trouble';

/** A failed step of a test's preparation, for people. */
export interface FailedStep {
  /** `adding the apt source deb http://… sid main failed: E: …` */
  sentence: string;
  /** The place of the fault; `package`: in the tested package; undefined if unknown. */
  fault: Trouble | 'package' | undefined;
}

interface Step {
  /** What the step does, if the runner's message is about this step; else null. */
  name: (message: string) => string | null;
  fault: (apt: string) => FailedStep['fault'];
}

/** The runner quotes the shell script that it executed; after this length its message is not its own. */
const SCANNED_LENGTH_MAX = 16_384;

/** A download failed this time: the next attempt may succeed. */
const AWAY =
  /could not (?:resolve|connect|handshake)|temporary failure resolving|unable to connect|connection (?:failed|refused|reset|timed out)|timed? ?out|no route to host|network is unreachable|hash sum mismatch|mirror sync in progress|unexpected size|clearsigned file isn't valid|is (?:expired|not valid yet)|\b50\d\b|429/i;

/** Something that the request names does not exist, or differs: the next attempt would fail too. */
const NOT_AS_REQUESTED =
  /does not have a release file|doesn't have the component|404 +not found|file not found|malformed (?:entry|line)|is not signed|no_pubkey|couldn't be verified|signed-by|unable to locate package|no packages found|type '.*' is not known|doesn't support architecture|the method driver|401 +unauthorized|403 +forbidden/i;

/** The fault of a step that does what the request asks for. */
function faultOfRequest(apt: string): FailedStep['fault'] {
  if (AWAY.test(apt)) return 'archive';
  return NOT_AS_REQUESTED.test(apt) ? 'request' : undefined;
}

/** The fault of a step that needs only the archive. */
function faultOfArchive(apt: string): FailedStep['fault'] {
  return AWAY.test(apt) || NOT_AS_REQUESTED.test(apt) || /failed to fetch/i.test(apt) ? 'archive' : undefined;
}

/** The first match counts. */
const STEPS: readonly Step[] = [
  { name: sourceStep, fault: faultOfRequest },
  { name: pinStep, fault: faultOfRequest },
  // Before the next one: the message advises people to execute apt-get update.
  {
    name: stepNamed(
      /test dependencies (?:are unsatisfiable|missing)/i,
      'installing the dependencies of the tests',
    ),
    fault: (apt) => (AWAY.test(apt) || /failed to fetch/i.test(apt) ? 'archive' : 'package'),
  },
  {
    name: stepNamed(
      /failed testbed apt update|testbed (?:boot )?setup commands failed|apt-get (?:update|(?:dist-)?upgrade)\b/,
      'bringing the testbed up to date',
    ),
    fault: (apt) => faultOfArchive(apt) ?? (apt === '' ? undefined : 'testbed'),
  },
  {
    name: stepNamed(/rules extract failed with exit code 100\b/, 'fetching the source package'),
    fault: () => 'archive',
  },
  {
    name: stepNamed(/apt repeatedly failed to download packages/, 'fetching packages'),
    fault: () => 'archive',
  },
  {
    name: stepNamed(/rules extract failed with exit code \d/, 'unpacking the source package'),
    fault: () => 'package',
  },
  {
    name: stepNamed(/rules build failed with exit code \d/, 'building the source package'),
    fault: () => 'package',
  },
  {
    name: stepNamed(/copydown|copyup|failed to copy/, 'copying files into the testbed or out of it'),
    fault: () => undefined,
  },
  // All other scripts that prepare the testbed: their text means nothing to people.
  {
    name: stepNamed(/"(?:\/bin\/)?(?:ba)?sh -[a-z]*c /, 'a step of preparing the testbed'),
    fault: faultOfArchive,
  },
];

function stepNamed(words: RegExp, name: string): Step['name'] {
  return (line) => (words.test(line) ? name : null);
}

/** `… done sh deb http://… sid main autopkgtest-add-apt-sources.list" failed with status 1` */
function sourceStep(message: string): string | null {
  const file = / autopkgtest-add-apt-(?:sources|release-(\S+))\.list" (?:failed with|\(kind:)/.exec(message);
  if (!file) return null;
  const [, suite] = file;
  if (suite !== undefined) return `adding the suite ${suite} for pinned packages`;
  const before = message.slice(0, file.index);
  const begin = before.lastIndexOf(' sh ');
  return begin < 0 ? 'adding an apt source' : `adding the apt source ${before.slice(begin + 4)}`;
}

/** `PKGS="a b"; PKGS="$PKGS $(apt-cache showsrc c | …)"; printf "Package: $PKGS\nPin: release a=testing\n…` */
function pinStep(message: string): string | null {
  const suite = /Pin: release a=([^\\\s"]+)/.exec(message)?.[1];
  if (suite === undefined) return null;
  const binaries = /PKGS="([^"$]*)";/.exec(message)?.[1]?.split(' ') ?? [];
  const sources = /apt-cache showsrc ([^|$"]*)\|/.exec(message)?.[1]?.split(' ') ?? [];
  const pinned = [...binaries, ...sources.map((name) => name && `src:${name}`)].filter(Boolean);
  return `pinning ${pinned.join(', ') || 'packages'} to ${suite}`;
}

/** The step that failed according to the runner's message; null when it names none. */
export function findFailedStep({ message, log }: Symptoms): FailedStep | null {
  const words = message.slice(0, SCANNED_LENGTH_MAX);
  for (const { name, fault } of STEPS) {
    const step = name(words);
    if (step === null) continue;
    const [stderr, apt] = [stderrOf(words), aptLines(log)];
    const why = stderr || apt || statusOf(words);
    return { sentence: `${step} failed${why && `: ${why}`}`, fault: fault(`${stderr} ${apt}`.trim()) };
  }
  return null;
}

/** The standard error of a command of the runner, which it quotes after the command. */
function stderrOf(message: string): string {
  const marker = 'failed with stderr "';
  const begin = message.lastIndexOf(marker);
  return begin < 0
    ? ''
    : message
        .slice(begin + marker.length)
        .replace(/"\s*$/, '')
        .trim();
}

function statusOf(message: string): string {
  if (message.includes('timed out on command')) return 'it took too long';
  const [, status] = [...message.matchAll(/(?:exit code|status) (\d+)/g)].at(-1) ?? [];
  return status === undefined ? '' : `it ended with code ${status}`;
}
