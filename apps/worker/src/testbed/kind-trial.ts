import type { Architectures } from '../machine/architectures';
import { imageArguments } from './image-backend';
import type { ImageTrial } from './images/images';
import type { TestbedKind } from './kinds/testbed-kind';
import type { Trial } from '../machine/trial';

/** Proves images of one kind, in the best working mode. */
export class KindTrial implements ImageTrial {
  constructor(
    private readonly kind: TestbedKind,
    private readonly machine: Architectures,
    private readonly trial: Trial,
  ) {}

  async prove(suite: string, arch: string, image: string, signal: AbortSignal): Promise<string> {
    const reasons: string[] = [];
    for (const mode of this.kind.modes) {
      try {
        await this.trial.run({
          suite,
          arch,
          backend: this.kind.name,
          timeoutMs: this.kind.trialTimeoutMs,
          argumentsFor: (folder) =>
            imageArguments(this.kind, this.machine, { image, suite, arch, mode, folder }),
          signal,
        });
        return mode;
      } catch (error) {
        signal.throwIfAborted();
        reasons.push(`${mode && `${mode}: `}${(error as Error).message}`);
      }
    }
    throw new Error(reasons.join('; '));
  }
}
