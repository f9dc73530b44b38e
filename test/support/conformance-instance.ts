import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@proctor/database';
import { stringify } from 'yaml';
import { Instance } from '../conformance/instance';
import { hostArchitecture } from './host-architecture';
import { startProctor, type AppName, type RunningProctor } from './proctor';
import { STUB_SUITE, stubConfiguration } from './stub';
import { until } from './until';

const OTHER_SUITE = 'other';
const PASSWORD = 'correct horse';
const HISTORY_LENGTH = 5;
const ITEMS_MAX = 20_000;
const REQUESTS_PER_SECOND = 500;

export interface ConformanceOptions {
  /** All when left out. */
  apps?: AppName[];
  api?: Record<string, unknown>;
}

/** A deployment with everything that the conformance suite can ask for; the stub's runs end at once. */
export class ConformanceInstance {
  private constructor(
    readonly proctor: RunningProctor,
    private readonly keys: { alice: string; bob: string },
    private readonly idleArch: string,
    private rejectList: Record<string, unknown>,
  ) {}

  /** @param api changes of the api's section of the configuration */
  static async start({ apps, api = {} }: ConformanceOptions = {}): Promise<ConformanceInstance> {
    const arch = hostArchitecture();
    const idleArch = arch === 'riscv64' ? 'amd64' : 'riscv64';
    const rejectList = {
      'rejected-everywhere': { '*': { '*': { '*': '' } } },
      'rejected-here': { [STUB_SUITE]: { [idleArch]: { '*': '' } } },
      'rejected-version': { '*': { '*': { '6.6-6': '' } } },
    };
    // What smells of infrastructure is tried again soon.
    const stub = stubConfiguration({ retry: { delayMs: 100 } });
    const proctor = await startProctor({
      ...(apps && { apps }),
      config: {
        ...stub,
        proctor: {
          ...stub.proctor,
          suites: [STUB_SUITE, OTHER_SUITE],
          architectures: [arch, idleArch],
          backends: ['null', 'qemu'],
          variants: ['stub', 'newest'],
          api: {
            historyLengthMax: HISTORY_LENGTH,
            itemsPerRequestMax: ITEMS_MAX,
            requestsPerSecondMax: REQUESTS_PER_SECOND,
            requestsPerMinuteMax: 12 * REQUESTS_PER_SECOND,
            ...api,
          },
        },
        aptSources: {
          'open-source': { lines: ['deb http://example.org/debian extra main'] },
          'closed-source': { lines: ['deb http://example.org/closed ./'], users: ['bob'] },
        },
        rejectList,
      },
    });
    try {
      return new ConformanceInstance(proctor, await makeUsers(proctor.databaseUrl), idleArch, rejectList);
    } catch (error) {
      await proctor.stop();
      throw error;
    }
  }

  /** The instance as its clients see it, or as they see it through a proxy. */
  seenAt(base = this.proctor.url): Instance {
    return new Instance({
      base,
      key: this.keys.alice,
      otherKey: this.keys.bob,
      adminKey: this.proctor.adminKey,
      password: `alice:${PASSWORD}`,
      suite: STUB_SUITE,
      arch: hostArchitecture(),
      otherSuite: OTHER_SUITE,
      idleArch: this.idleArch,
      idleBackend: 'qemu',
      finishSeconds: 30,
      stub: true,
      aptSource: 'open-source',
      closedAptSource: 'closed-source',
      historyLength: HISTORY_LENGTH,
      itemsMax: ITEMS_MAX,
      requestsPerSecond: REQUESTS_PER_SECOND,
      reject: (packageName) => this.reject(packageName),
    });
  }

  stop(): Promise<void> {
    return this.proctor.stop();
  }

  private async reject(packageName: string): Promise<void> {
    this.rejectList = { ...this.rejectList, [packageName]: { '*': { '*': { '*': '' } } } };
    const file = join(this.proctor.home.path, 'config/reject-list.yaml');
    await writeFile(`${file}.new`, stringify(this.rejectList));
    await rename(`${file}.new`, file);
    const isShown = await until(async () => {
      const answer = await this.seenAt().api('/reject_list');
      return packageName in answer.json<object>();
    });
    if (!isShown) throw new Error(`the service did not take in that ${packageName} is rejected`);
  }
}

async function makeUsers(databaseUrl: string): Promise<{ alice: string; bob: string }> {
  const database = await openDatabase(databaseUrl);
  const { users, apiKeys } = database;
  try {
    await users.add('alice', { isAdmin: false, password: PASSWORD });
    await users.add('bob', { isAdmin: false });
    return {
      alice: (await apiKeys.create('alice', 'conformance')).key,
      bob: (await apiKeys.create('bob', 'conformance')).key,
    };
  } finally {
    await database.close();
  }
}
