import type { Testbed } from '@proctor/contracts';
import type { TestbedArguments } from '../autopkgtest/command';
import type { RunFolder } from '../sandbox/run-folder';
import type { ImageRecord } from './images/image-files';
import type { SeenImage } from './images/images';

/** Injection token of the list of the worker's backends. */
export const BACKENDS = Symbol('backends');

/** The list of a suite's packages, from an image. */
export interface ImageSourceNames extends SeenImage {
  /** Path of the list, see writeSourceNames; the file may be missing. */
  path: string;
}

/** A kind of testbed that this machine may offer. */
export interface Backend {
  readonly name: string;
  /** Describes for people how a test is isolated here, and which features of a testbed it may request. */
  readonly isolation: string;
  /** Proves that it works here: resolves with null, or why it does not and what helps. */
  detect(): Promise<string | null>;
  /** The images on disk, whether it is open or not. */
  records(): Promise<ImageRecord[]>;
  /** After a successful detection: prepares the suites that the configuration names. */
  open(): Promise<void>;
  /** Whether it can build an image of any suite. */
  readonly buildsAnySuite: boolean;
  /** The testbeds of an architecture that it has, builds or failed to build. */
  testbeds(arch: string): Testbed[];
  /** A waiting run needs this testbed. */
  requestImage(suite: string, arch: string): void;
  /**
   * The runner's arguments for one attempt; writes the files that they name into its folder.
   * @throws NotStarted when the testbed does not exist (any longer)
   */
  use(suite: string, arch: string, folder: RunFolder): Promise<TestbedArguments>;
  /**
   * Suite of a pin → the name that apt uses for its archive in a testbed of `suite`; absent if the archive is unknown.
   * @throws ArchiveAway if the archive cannot be reached
   */
  pinNames?(suite: string, pinned: string[], extraLines: string[]): Promise<Map<string, string>>;
  /** The lists of suites' packages; absent for a backend without images of its own. */
  sourceNames?(): ImageSourceNames[];
  /** Stops its background work, and a running detection. */
  close(): Promise<void>;
}
