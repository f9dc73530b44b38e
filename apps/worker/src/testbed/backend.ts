import type { Testbed } from '@proctor/contracts';
import type { TestbedArguments } from '../autopkgtest/command';
import type { RunFolder } from '../sandbox/run-folder';

/** A kind of testbed that this machine may offer. */
export interface Backend {
  readonly name: string;
  /** Proves that it works here; else says why not and what helps. */
  detect(): Promise<string | null>;
  /** After a detection that succeeded: gets ready for the suites that the configuration names. */
  open(): Promise<void>;
  /** Whether it can build an image of a suite that nobody has named to it yet. */
  readonly buildsAnySuite: boolean;
  /** What it has, builds or could not build for an architecture. */
  testbeds(arch: string): Testbed[];
  /** A waiting run needs this one. */
  want(suite: string, arch: string): void;
  /**
   * The runner's arguments for one attempt; files that they name are put into its folder.
   * @throws NotStarted when the testbed is not there (any more)
   */
  use(suite: string, arch: string, folder: RunFolder): Promise<TestbedArguments>;
  /** Ends what it does in the background. */
  close(): Promise<void>;
}
