import type { Testbed } from '@proctor/contracts';
import type { TestbedArguments } from '../autopkgtest/command';
import type { Sandboxes } from '../sandbox/sandboxes';
import { whyUnusable } from '../sandbox/unusable';
import type { Backend } from './backend';

/**
 * Tests run on the machine itself, with its own packages and files; only their processes and network are isolated. The
 * machine's owner states its suites in `suitesAtStart`.
 */
export class NullBackend implements Backend {
  readonly name = 'null';
  readonly buildsAnySuite = false;
  readonly isolation = "none: tests change this machine's own files";

  constructor(
    private readonly suites: string[],
    private readonly machineMayBeDestroyed: boolean,
    private readonly sandboxes: Sandboxes,
  ) {}

  async detect(): Promise<string | null> {
    if (!this.machineMayBeDestroyed) {
      return 'tests would run on this machine itself: set machineMayBeDestroyed in worker.yaml if it may be thrown away';
    }
    return whyUnusable(this.sandboxes.detect());
  }

  async open(): Promise<void> {}

  records(): Promise<[]> {
    return Promise.resolve([]);
  }

  testbeds(): Testbed[] {
    return this.suites.map((suite) => ({ suite, backend: this.name, state: 'ready' }));
  }

  requestImage(): void {
    // This machine cannot become another suite.
  }

  async use(): Promise<TestbedArguments> {
    return Promise.resolve({ upgrade: [], options: [], server: ['null'], wholeMachine: true });
  }

  async close(): Promise<void> {}
}
