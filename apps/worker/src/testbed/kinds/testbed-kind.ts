import type { TestbedArguments } from '../../autopkgtest/command';
import type { RunFolder } from '../../sandbox/run-folder';
import type { Sandboxes } from '../../sandbox/sandboxes';
import type { ImageShape } from '../images/image-shape';

/** An image and the attempt that it is used for. */
export interface ImageUse {
  /** Path of the image, readable by the run user and its own for as long as the attempt runs. */
  image: string;
  suite: string;
  arch: string;
  /** One of the kind's modes: the one in which the image was proved to work. */
  mode: string;
  /** The attempt's folder, for files that the server needs. */
  folder: RunFolder;
}

/** What is particular to testbeds made of an image by one of autopkgtest's virtualisation servers. */
export interface TestbedKind {
  readonly name: string;
  /** Programs that it needs beyond those of the sandbox and of image building. @throws Unusable for an architecture that it has none for */
  tools(arch: string): string[];
  /** For people: what keeps a test apart, and what tests may ask of the testbed. */
  readonly isolation: string;
  /** Foreign architectures by an interpreter; false: only what the processor itself executes. */
  readonly emulates: boolean;
  readonly image: ImageShape;
  /** Ways to run it, the best first; the first that an image is proved to work in is used with it. */
  readonly modes: string[];
  readonly trialTimeoutMs: number;
  /** What else keeps it from working here; null: nothing. Asked once sandboxes are known to work. */
  findProblem?(sandboxes: Pick<Sandboxes, 'tryCommand'>): Promise<string | null>;
  use(use: ImageUse): Promise<TestbedArguments>;
}

/** The usual time for a test of one line, image unpacked and testbed begun. */
export const TRIAL_TIMEOUT_MS = 120_000;
