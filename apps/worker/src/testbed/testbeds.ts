import type { Clock } from '@proctor/clock';
import {
  EXPLANATION_LENGTH_MAX,
  isWord,
  oneLine,
  TESTBEDS_BYTES_MAX,
  TESTBEDS_MAX,
  withinBytes,
  type LeaseReply,
  type Testbed,
} from '@proctor/contracts';
import { growingPauseMs } from '@proctor/pauses';
import type { Log } from '@proctor/process';
import type { Sandboxes } from '../sandbox/sandboxes';
import { NotStarted, type TestbedOffer } from '../slot/ports';
import type { Backend } from './backend';

/** The interval after which a failed backend is tried again: packages may have been installed. */
const DETECT_AGAIN_MS = 60_000;

/**
 * Pause after a sandbox could not be opened; doubles up to DETECT_AGAIN_MS. A full disk is often free again in seconds.
 */
const RECHECK_FIRST_MS = 2_000;

/** Length of the brackets of the list. */
const BRACKETS_BYTES = 2;

/** A test runner of the configuration that can be executed here. */
export interface Variant {
  /** Its command and first arguments. */
  command: string[];
  /** null: unknown. */
  version: string | null;
}

/** The state of the backends and variants of the configuration. */
interface TestbedFindings {
  /** Backend → what is wrong with it; null: it can be used. */
  backends: Record<string, string | null>;
  /** Variant that can be executed → its version; null: unknown. */
  variants: Record<string, string | null>;
}

interface TestbedsParts {
  backends: Backend[];
  /** Name → command with its first arguments. */
  variants: Record<string, string[]>;
  /** Size classes of big packages for which each slot has room. */
  sizeClasses: string[];
  privateRunsOnly: boolean;
  sandboxes: Pick<Sandboxes, 'isExecutable' | 'detectAgain'>;
  versionOf: (program: string) => Promise<string | null>;
  clock: Clock;
  log: Log;
  /** Called when more or other work can be taken than before. */
  onChange: () => void;
}

/** The working backends of this machine, and the variants that it can execute. */
export class Testbeds implements TestbedOffer {
  private readonly usable = new Map<string, Backend>();
  private readonly reasons = new Map<string, string>();
  private readonly runners = new Map<string, Variant>();
  private readonly warned = new Set<string>();
  private cancelDetection: () => void = () => undefined;
  private detecting: Promise<void> = Promise.resolve();
  /** Why no sandbox can be opened; null: no reason is known. */
  private broken: string | null = null;
  private rechecking: Promise<void> | null = null;
  private recheckFailures = 0;
  private cancelRecheck: () => void = () => undefined;
  private closed = false;

  constructor(private readonly parts: TestbedsParts) {}

  /** Checks what works; each backend is offered as soon as it works, and the others are tried again at intervals. */
  async open(): Promise<void> {
    this.detecting = this.detect();
    await this.detecting;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.cancelDetection();
    this.cancelRecheck();
    await this.rechecking;
    await Promise.all(this.parts.backends.map((backend) => backend.close()));
    await this.detecting;
  }

  /**
   * A sandbox could not be opened, although sandboxes had worked: checks again whether any can be opened, and takes no
   * work until one can. Resolves after the first check; never rejects.
   */
  recheck(why: string): Promise<void> {
    if (this.closed) return Promise.resolve();
    this.cancelRecheck();
    this.broken ??= why;
    this.rechecking ??= this.checkSandboxes().finally(() => (this.rechecking = null));
    return this.rechecking;
  }

  get isBroken(): boolean {
    return this.broken !== null;
  }

  currentOffer(arch: string) {
    const testbeds = offeredTestbeds([...this.usable.values()].flatMap((backend) => backend.testbeds(arch)));
    const problem = this.problem();
    const builds = [...this.usable.values()]
      .filter((backend) => backend.buildsAnySuite)
      .map(({ name }) => name);
    const variants = [...this.runners.keys()];
    const { sizeClasses, privateRunsOnly } = this.parts;
    return {
      testbeds,
      variants,
      builds,
      sizeClasses,
      privateRunsOnly,
      ...(problem === null ? {} : { problem }),
    };
  }

  findings(): TestbedFindings {
    const reasonOf = (name: string) =>
      this.usable.has(name) ? null : (this.reasons.get(name) ?? 'it was not tried yet');
    return {
      backends: Object.fromEntries(this.parts.backends.map(({ name }) => [name, reasonOf(name)])),
      variants: Object.fromEntries([...this.runners].map(([name, { version }]) => [name, version])),
    };
  }

  requestTestbeds(arch: string, testbeds: LeaseReply['wanted']): void {
    for (const { suite, backend } of testbeds)
      if (isWord(suite)) this.usable.get(backend)?.requestImage(suite, arch);
  }

  /** @throws NotStarted if the backend does not work here */
  backend(name: string): Backend {
    const backend = this.usable.get(name);
    if (!backend)
      throw new NotStarted(`the backend ${name} cannot be used here: ${this.reasons.get(name) ?? 'unknown'}`);
    return backend;
  }

  /** @throws NotStarted if the variant cannot be executed here */
  runner(variant: string): Variant {
    const runner = this.runners.get(variant);
    if (!runner) throw new NotStarted(`the variant ${variant} cannot be executed here`);
    return runner;
  }

  private async checkSandboxes(): Promise<void> {
    try {
      await this.parts.sandboxes.detectAgain();
      this.broken = null;
      this.recheckFailures = 0;
      this.parts.log.log('sandboxes can be opened again');
      this.parts.onChange();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (this.broken !== why)
        this.parts.log.warn(`no work is taken, since no sandbox can be opened: ${why}`);
      this.broken = why;
      if (this.closed) return;
      const pauseMs = growingPauseMs(RECHECK_FIRST_MS, DETECT_AGAIN_MS, ++this.recheckFailures);
      this.cancelRecheck = this.parts.clock.after(pauseMs, () => void this.recheck(why));
    }
  }

  private problem(): string | null {
    if (this.broken !== null)
      return oneLine(`no sandbox can be opened: ${this.broken}`, EXPLANATION_LENGTH_MAX);
    if (this.usable.size === 0) {
      const reasons = [...this.reasons].map(([name, reason]) => `${name}: ${reason}`).join('; ');
      return oneLine(`no usable backend: ${reasons || 'none is configured'}`, EXPLANATION_LENGTH_MAX);
    }
    if (this.runners.size > 0) return null;
    const commands = Object.entries(this.parts.variants).map(([name, [program]]) => `${name} (${program})`);
    return oneLine(`no variant can be executed: ${commands.join(', ')}`, EXPLANATION_LENGTH_MAX);
  }

  /** All in parallel: a machine that does not answer may take minutes, and the others need not wait for it. */
  private async detect(): Promise<void> {
    let variants: Promise<boolean> | null = null;
    const tryVariants = (): Promise<boolean> => (variants ??= this.tryVariants());
    const findMore = async (): Promise<void> => {
      if (this.usable.size > 0 && (await tryVariants())) this.parts.onChange();
    };
    const missing = this.parts.backends.filter(({ name }) => !this.usable.has(name));
    const tries = missing.map(async (backend) => {
      if (!(await this.tryBackend(backend))) return;
      await tryVariants();
      this.parts.onChange();
    });
    await Promise.all([findMore(), ...tries]);
    const isComplete =
      this.usable.size === this.parts.backends.length &&
      this.runners.size === Object.keys(this.parts.variants).length;
    if (isComplete || this.closed) return;
    this.cancelDetection = this.parts.clock.after(DETECT_AGAIN_MS, () => {
      this.detecting = this.detect();
    });
  }

  /** @returns whether it can be used now */
  private async tryBackend(backend: Backend): Promise<boolean> {
    const reason = await this.detectAndOpen(backend);
    if (this.closed) return false;
    if (reason === null) {
      this.usable.set(backend.name, backend);
      this.reasons.delete(backend.name);
      this.parts.log.log(`backend ${backend.name} is usable`);
      return true;
    }
    if (this.reasons.get(backend.name) !== reason) {
      this.reasons.set(backend.name, reason);
      this.parts.log.warn(`backend ${backend.name} is not usable: ${reason}`);
    }
    return false;
  }

  /** Why the backend cannot be used, or null. */
  private async detectAndOpen(backend: Backend): Promise<string | null> {
    try {
      const reason = await backend.detect();
      if (reason === null && !this.closed) await backend.open();
      return reason;
    } catch (error) {
      return String(error);
    }
  }

  /** @returns whether more variants can be executed than before */
  private async tryVariants(): Promise<boolean> {
    const before = this.runners.size;
    for (const [name, command] of Object.entries(this.parts.variants)) {
      if (!this.runners.has(name)) await this.tryVariant(name, command);
    }
    return this.runners.size > before;
  }

  private async tryVariant(name: string, command: string[]): Promise<void> {
    const [program = ''] = command;
    if (await this.parts.sandboxes.isExecutable(program)) {
      const version = await this.parts.versionOf(program);
      this.runners.set(name, { command, version });
      this.parts.log.log(`variant ${name} is ${program}, version ${version ?? 'unknown'}`);
    } else {
      if (!this.warned.has(name)) this.parts.log.warn(`variant ${name}: ${program} cannot be executed`);
      this.warned.add(name);
    }
  }
}

/**
 * Limits the testbeds to the number that a request may name: first their details are left out, then those that are not
 * ready.
 */
export function offeredTestbeds(testbeds: Testbed[]): Testbed[] {
  if (limitTestbeds(testbeds).length === testbeds.length) return testbeds;
  const ranks = { ready: 0, absent: 1, building: 1, failed: 1 };
  const short = testbeds.map(({ suite, backend, state }) => ({ suite, backend, state }));
  return limitTestbeds(short.sort((a, b) => ranks[a.state] - ranks[b.state]));
}

function limitTestbeds(testbeds: Testbed[]): Testbed[] {
  return withinBytes(testbeds.slice(0, TESTBEDS_MAX), TESTBEDS_BYTES_MAX - BRACKETS_BYTES);
}
