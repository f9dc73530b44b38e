import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Grant } from '@proctor/contracts';
import {
  type StoredTestbed,
  Results,
  type RunRecord,
  RunTestbeds,
  type PackageChange,
} from '@proctor/database';
import {
  otherPackages,
  readTestbed,
  type RunTestbed,
  type Installed,
  packageDifference,
} from '@proctor/result-files';
import { ResultStore } from '@proctor/store';
import { CONFIGURATION, type LiveSchedulerConfiguration } from '../configuration.token';

/** How many results are read at the same time, so that turns go on. */
const AT_ONCE = 2;
/** The maximum number of waiting results; others are read from their files when they are needed. */
const WAITING_MAX = 2_000;

/**
 * Records the testbed of each run with a recorded result, because pages compare runs by it. Nothing waits for it. If
 * it was not recorded (the process stopped, or had too much to do), it can be read from the run's files while they
 * exist.
 */
@Injectable()
export class TestbedRecorder implements OnModuleDestroy {
  private readonly logger = new Logger('Testbeds');
  private readonly waiting: Pick<Grant, 'runId' | 'attempt'>[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private isStopped = false;

  constructor(
    private readonly store: ResultStore,
    private readonly results: Results,
    private readonly testbeds: RunTestbeds,
    @Inject(CONFIGURATION) private readonly configuration: LiveSchedulerConfiguration,
  ) {}

  /**
   * The result of an attempt was recorded, and its files are in the store. Does nothing once the process stops. Never
   * throws.
   */
  add({ runId, attempt }: Pick<Grant, 'runId' | 'attempt'>): void {
    if (this.isStopped) return;
    if (this.waiting.length >= WAITING_MAX) {
      this.logger.warn(`run ${runId}: its packages are not kept: ${WAITING_MAX} others wait`);
      return;
    }
    this.waiting.push({ runId, attempt });
    this.next();
  }

  /** Resolves when reading and writing have ended. */
  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    this.waiting.length = 0;
    await this.waitUntilIdle();
  }

  /** Resolves when nothing waits or is in progress. */
  async waitUntilIdle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private next(): void {
    if (this.underWay.size >= AT_ONCE) return;
    const result = this.waiting.shift();
    if (!result) return;
    const work = this.record(result).catch((error: unknown) => {
      this.logger.warn(`run ${result.runId}: its packages are not kept: ${String(error)}`);
    });
    this.underWay.add(work);
    void work.then(() => {
      this.underWay.delete(work);
      this.next();
    });
  }

  private async record({ runId, attempt }: Pick<Grant, 'runId' | 'attempt'>): Promise<void> {
    const run = await this.results.find(runId);
    // A run that is tried again gets another testbed.
    if (run?.state !== 'finished' || run.attempt !== attempt) return;
    const testbed = await this.read(run);
    const { packages, ...rest } = testbedToSave(testbed);
    const others = packages ? otherPackages(run, packages) : { versions: [], suites: [] };
    await this.testbeds.saveTestbed(run, { packages, ...rest }, others);
    if (run.verdict === 'fail' && !run.cancelled && testbed.testbed) await this.saveChanges(run, testbed);
  }

  private async saveChanges(run: RunRecord, testbed: RunTestbed): Promise<void> {
    const passed = await this.testbeds.passJustBefore(run);
    if (!passed) return;
    const before =
      (await this.testbeds.of([passed.runId])).get(passed.runId) ?? testbedToSave(await this.read(passed));
    const now = testbedToSave(testbed).packages;
    if (!before.packages || !now) return;
    await this.testbeds.saveChanges(run.runId, passed.runId, packageChanges(run, before.packages, now));
  }

  private read({ runId, attempt }: RunRecord): Promise<RunTestbed> {
    return readTestbed(
      (name, start) => this.store.openFrom(runId, attempt, name, start),
      this.configuration.server.indexReadMs,
    );
  }
}

function testbedToSave({ testbed, added, suites, ...rest }: RunTestbed): StoredTestbed {
  return { packages: testbed && { testbed, added, suites }, ...rest };
}

/**
 * The packages that changed between two runs. For a package that changed to a version of the later run's trigger, the
 * source of the trigger is listed too; these come first.
 */
function packageChanges(
  { trigger }: Pick<RunRecord, 'trigger'>,
  before: Installed,
  now: Installed,
): PackageChange[] {
  const changes = packageDifference(before, now).changed.map(({ name, a, b }) => {
    return { package: name, from: a ?? '', to: b ?? '' };
  });
  const names = new Set(changes.map((change) => change.package));
  const sources = (trigger ?? '').split(' ').flatMap((word): PackageChange[] => {
    const [source = '', version = ''] = word.split('/');
    const binary = changes.find(({ to }) => version !== '' && to === version);
    return binary && !names.has(source) ? [{ ...binary, package: source }] : [];
  });
  return [...sources, ...changes];
}
