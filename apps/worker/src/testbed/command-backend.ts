import type { Testbed } from '@proctor/contracts';
import type { TestbedArguments } from '../autopkgtest/command';
import type { Machine } from '../machine/machine';
import type { RunFolder } from '../sandbox/run-folder';
import { checkTools } from '../sandbox/tools';
import { Unusable } from '../sandbox/unusable';
import { NotStarted } from '../slot/ports';
import type { Backend } from './backend';
import { copiedSettings } from './host-apt/copy-settings';
import { PLAIN_WITH_USER } from './images/image-shape';
import { TRIAL_TIMEOUT_MS as KIND_TRIAL_TIMEOUT_MS, type TestbedKind } from './kinds/testbed-kind';

/** Time for a testbed that may first have to be fetched or booted. */
const TRIAL_TIMEOUT_MS = 600_000;

/** Replaces the placeholders of a template; they may be anywhere in an argument. */
export function fillTemplate(template: string[], values: Record<string, string>): string[] {
  return template.map((argument) =>
    argument.replace(/\{(\w+)\}/g, (text, name: string) =>
      Object.hasOwn(values, name) ? (values[name] as string) : text,
    ),
  );
}

/**
 * A virtualisation server of autopkgtest with arguments from the configuration; its testbeds are maintained elsewhere.
 * It offers the suites of `suitesAtStart`, on every architecture that the worker serves. Each run updates its testbed,
 * like one of ours: with lists older than the archive packages look broken, and a pin would not move installed
 * packages. The update, and each dependency of a test, needs root there.
 */
export class CommandBackend implements Backend {
  readonly buildsAnySuite = false;
  readonly isolation = 'that of its testbeds, which are not maintained here';
  private readonly proved = new Set<string>();
  private readonly ending = new AbortController();

  constructor(
    readonly name: string,
    private readonly template: string[],
    private readonly suites: string[],
    private readonly machine: Pick<Machine, 'architectures' | 'sandboxes' | 'trial' | 'proofs'>,
  ) {}

  /** It can be used with the testbeds that passed a test; without any, the answer is the first one's reason. */
  async detect(): Promise<string | null> {
    const reasons: string[] = [];
    try {
      await checkTools(['autopkgtest', 'autodep8']);
      await this.machine.sandboxes.detect();
      for (const suite of this.suites) {
        for (const arch of this.machine.architectures) {
          const reason = await this.prove(suite, arch);
          if (reason === null) this.proved.add(`${suite}/${arch}`);
          else reasons.push(`${suite}/${arch}: ${reason}`);
        }
      }
    } catch (error) {
      if (error instanceof Unusable) return error.message;
      throw error;
    }
    if (this.proved.size > 0) return null;
    return reasons[0] ?? 'suitesAtStart names no suite: this backend offers those alone';
  }

  async open(): Promise<void> {}

  records(): Promise<[]> {
    return Promise.resolve([]);
  }

  testbeds(arch: string): Testbed[] {
    return this.suites
      .filter((suite) => this.proved.has(`${suite}/${arch}`))
      .map((suite) => ({ suite, backend: this.name, state: 'ready' }));
  }

  requestImage(): void {
    // Its testbeds are built elsewhere.
  }

  async use(suite: string, arch: string, folder: RunFolder): Promise<TestbedArguments> {
    if (!this.proved.has(`${suite}/${arch}`)) {
      throw new NotStarted(`the backend ${this.name} has no testbed for ${suite}/${arch}`);
    }
    return { ...(await this.argumentsFor(suite, arch, folder)), upgrade: ['--apt-upgrade'] };
  }

  close(): Promise<void> {
    this.ending.abort();
    return Promise.resolve();
  }

  /** Leaves out this machine's own settings of apt: its proxy may not work for a testbed elsewhere. */
  private async argumentsFor(suite: string, arch: string, folder: RunFolder): Promise<TestbedArguments> {
    return { options: [await copiedSettings(folder, [])], server: this.server(suite, arch) };
  }

  private server(suite: string, arch: string): string[] {
    return fillTemplate(this.template, { suite, arch });
  }

  private async prove(suite: string, arch: string): Promise<string | null> {
    const order = {
      suite,
      arch,
      backend: this.name,
      timeoutMs: TRIAL_TIMEOUT_MS,
      argumentsFor: (folder: RunFolder) => this.argumentsFor(suite, arch, folder),
      signal: this.ending.signal,
    };
    try {
      const name = `backend ${this.name} ${JSON.stringify(this.server(suite, arch))}`;
      await this.machine.proofs.once(name, () => this.machine.trial.run(order).then(() => 'passed'));
      return null;
    } catch (error) {
      this.ending.signal.throwIfAborted();
      if (error instanceof Unusable) throw error;
      return (error as Error).message;
    }
  }
}

/** A virtualisation server from the configuration that uses an image of ours: its template has `{image}`. */
export function commandKind(name: string, template: string[]): TestbedKind {
  return {
    name,
    tools: () => [],
    isolation: "that of the configured server, on the worker's images",
    emulates: true,
    image: PLAIN_WITH_USER,
    modes: [''],
    trialTimeoutMs: KIND_TRIAL_TIMEOUT_MS,
    use: ({ image, suite, arch }) =>
      Promise.resolve({ options: [], server: fillTemplate(template, { image, suite, arch }) }),
  };
}

export function usesImage(template: string[]): boolean {
  return template.some((argument) => argument.includes('{image}'));
}
