import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';

export const SUITE = 'testing';
export const OTHER_SUITE = 'other';
export const HISTORY_LENGTH = 5;
export const REQUESTS_PER_SECOND = 500;
const SLOTS = 4;
/** Longer than the proxy takes to see that an api is not ready. */
const LEAVE_NOTICE_MS = 1_000;

export interface ConfigurationPlan {
  arch: string;
  /** No worker serves it. */
  idleArch: string;
  stub: string;
  streamReplicas: number;
  /** Keys of the configuration of workers only. */
  worker: object;
}

/** Writes a folder of configuration with everything that the conformance suite can ask for. @param isPrevious without what is new */
export async function writeConfiguration(
  path: string,
  { arch, idleArch, stub, streamReplicas, worker }: ConfigurationPlan,
  isPrevious: boolean,
): Promise<void> {
  await mkdir(path, { recursive: true });
  const api = {
    ...{ host: '127.0.0.1', historyLengthMax: HISTORY_LENGTH },
    ...{ requestsPerSecondMax: REQUESTS_PER_SECOND, requestsPerMinuteMax: 12 * REQUESTS_PER_SECOND },
    ...(!isPrevious && { leaveNoticeMs: LEAVE_NOTICE_MS }),
  };
  const scheduler = { retry: { delayMs: 100 }, ...(!isPrevious && { streamReplicas }) };
  const files = {
    'proctor.yaml': {
      suites: [SUITE, OTHER_SUITE],
      architectures: [arch, idleArch],
      backends: ['null', 'qemu'],
      variants: ['stub', 'newest'],
      ...{ api, scheduler },
    },
    'worker.yaml': {
      ...{ slots: SLOTS, suitesAtStart: [SUITE], backends: ['null'], variants: { stub: [stub] } },
      machineMayBeDestroyed: true,
      ...worker,
    },
    'apt-sources.yaml': {
      'open-source': { lines: ['deb http://example.org/debian extra main'] },
      'closed-source': { lines: ['deb http://example.org/closed ./'], users: ['bob'] },
    },
    'reject-list.yaml': {
      'rejected-everywhere': { '*': { '*': { '*': '' } } },
      'rejected-here': { [SUITE]: { [idleArch]: { '*': '' } } },
      'rejected-version': { '*': { '*': { '6.6-6': '' } } },
    },
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), stringify(content));
}
