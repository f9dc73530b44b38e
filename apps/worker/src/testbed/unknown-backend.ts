import type { Testbed } from '@proctor/contracts';
import type { TestbedArguments } from '../autopkgtest/command';
import { NotStarted } from '../slot/ports';
import type { Backend } from './backend';

/** A name in the configuration that this version of the worker cannot make testbeds for. */
export class UnknownBackend implements Backend {
  readonly buildsAnySuite = false;
  readonly isolation = 'unknown';

  constructor(
    readonly name: string,
    private readonly knownBackends: readonly string[],
  ) {}

  async detect(): Promise<string> {
    return Promise.resolve(
      `there is no backend of this name: ${this.knownBackends.join(', ')} are known, others are described in worker.yaml, backendCommands`,
    );
  }

  async open(): Promise<void> {}

  records(): Promise<[]> {
    return Promise.resolve([]);
  }

  testbeds(): Testbed[] {
    return [];
  }

  requestImage(): void {
    // It is never usable, hence never asked.
  }

  async use(): Promise<TestbedArguments> {
    return Promise.reject(new NotStarted(`the backend ${this.name} is unknown`));
  }

  async close(): Promise<void> {}
}
