import type { Testbed } from '@proctor/contracts';
import type { TestbedArguments } from '../autopkgtest/command';
import { NotStarted } from '../slot/ports';
import type { Backend } from './backend';

/** A name in the configuration that this version of the worker cannot make testbeds for. */
export class UnknownBackend implements Backend {
  readonly buildsAnySuite = false;

  constructor(readonly name: string) {}

  async detect(): Promise<string> {
    return Promise.resolve('this worker knows unshare and null');
  }

  async open(): Promise<void> {}

  testbeds(): Testbed[] {
    return [];
  }

  want(): void {
    // It is never usable, hence never asked.
  }

  async use(): Promise<TestbedArguments> {
    return Promise.reject(new NotStarted(`the backend ${this.name} is unknown`));
  }

  async close(): Promise<void> {}
}
