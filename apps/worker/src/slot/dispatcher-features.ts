import type { DispatcherFeature, LeaseReply } from '@proctor/contracts';

/** The features of each architecture's dispatcher, according to its last answer. */
export class DispatcherFeatures {
  private readonly features = new Map<string, readonly string[]>();

  onAnswer({ arch, features = [] }: Pick<LeaseReply, 'arch' | 'features'>): void {
    this.features.set(arch, features);
  }

  /** Also returns true before the first answer: schedulers are upgraded before workers. */
  has(arch: string, feature: DispatcherFeature): boolean {
    return this.features.get(arch)?.includes(feature) ?? true;
  }
}
