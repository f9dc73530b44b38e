import type { Testbed } from '@proctor/contracts';
import type { TestbedArguments } from '../autopkgtest/command';
import { NotStarted } from '../slot/ports';
import type { Backend } from './backend';

/** A backend of the configuration that this version of the worker does not support. */
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
    // It can never be used, so this is never called.
  }

  async use(): Promise<TestbedArguments> {
    return Promise.reject(new NotStarted(`the backend ${this.name} is unknown`));
  }

  async close(): Promise<void> {}
}
