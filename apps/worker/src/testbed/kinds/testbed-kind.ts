import type { TestbedArguments } from '../../autopkgtest/command';
import type { RunFolder } from '../../sandbox/run-folder';
import type { Sandboxes } from '../../sandbox/sandboxes';
import type { ImageShape } from '../images/image-shape';

/** An image and its attempt. */
export interface ImageUse {
  /** Path of the image: the run user can read it, and it belongs to this attempt alone while it runs. */
  image: string;
  suite: string;
  arch: string;
  /** One of the kind's modes, in which the image was proved to work. */
  mode: string;
  /** The attempt's folder, for files that the server needs. */
  folder: RunFolder;
}

/** A kind of testbed that one of autopkgtest's virtualisation servers runs from an image. */
export interface TestbedKind {
  readonly name: string;
  /**
   * Programs that it needs beyond those of the sandbox and of image building. @throws Unusable for an unsupported
   * architecture
   */
  tools(arch: string): string[];
  /** Describes for people how a test is isolated, and which features of the testbed it may request. */
  readonly isolation: string;
  /** True: runs foreign architectures with an interpreter; false: only what the processor itself executes. */
  readonly emulates: boolean;
  readonly image: ImageShape;
  /** Ways to run it, the best first; an image uses the first in which it is proved to work. */
  readonly modes: string[];
  readonly trialTimeoutMs: number;
  /**
   * Another reason why the backend does not work here; null if it works. Called only after sandboxes were proved to
   * work.
   */
  findProblem?(sandboxes: Pick<Sandboxes, 'tryCommand'>): Promise<string | null>;
  use(use: ImageUse): Promise<TestbedArguments>;
}

/** The usual time for a test of one line, with unpacking the image and starting the testbed. */
export const TRIAL_TIMEOUT_MS = 120_000;
