import type { Testbed } from '@proctor/contracts';
import type { TestbedArguments } from '../autopkgtest/command';
import type { RunFolder } from '../sandbox/run-folder';
import type { ImageRecord } from './images/image-files';
import type { SeenImage } from './images/images';

/** Where the worker's backends are injected, a list. */
export const BACKENDS = Symbol('backends');

/** The packages that a suite has, as an image shows. */
export interface ImageSourceNames extends SeenImage {
  /** Of the list, see writeSourceNames; there may be none. */
  path: string;
}

/** A kind of testbed that this machine may offer. */
export interface Backend {
  readonly name: string;
  /** For people: what keeps a test apart here, and what it may ask of its testbed. */
  readonly isolation: string;
  /** Proves that it works here; else says why not and what helps. */
  detect(): Promise<string | null>;
  /** The images on disk, whether it is open or not. */
  records(): Promise<ImageRecord[]>;
  /** After a detection that succeeded: gets ready for the suites that the configuration names. */
  open(): Promise<void>;
  /** Whether it can build an image of a suite that was not named to it yet. */
  readonly buildsAnySuite: boolean;
  /** What it has, builds or could not build for an architecture. */
  testbeds(arch: string): Testbed[];
  /** A waiting run needs this one. */
  requestImage(suite: string, arch: string): void;
  /**
   * The runner's arguments for one attempt; files that they name are put into its folder.
   * @throws NotStarted when the testbed is not there (any more)
   */
  use(suite: string, arch: string, folder: RunFolder): Promise<TestbedArguments>;
  /**
   * Suite of a pin → the name by which apt pins it in a testbed of `suite`; absent where nothing is known of its archive.
   * @throws ArchiveAway
   */
  pinNames?(suite: string, pinned: string[], extraLines: string[]): Promise<Map<string, string>>;
  /** What it knows of the packages of suites; absent where it has no images of its own. */
  sourceNames?(): ImageSourceNames[];
  /** Ends what it does in the background, and a detection under way. */
  close(): Promise<void>;
}
