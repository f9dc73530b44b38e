import type { DispatcherFeature, LeaseReply } from '@proctor/contracts';

/** What the dispatcher of each architecture can do, as its last answer to an ask said. */
export class DispatcherFeatures {
  private readonly told = new Map<string, readonly string[]>();

  heard({ arch, features = [] }: Pick<LeaseReply, 'arch' | 'features'>): void {
    this.told.set(arch, features);
  }

  /** True also before it has answered: schedulers are upgraded before workers. */
  has(arch: string, feature: DispatcherFeature): boolean {
    return this.told.get(arch)?.includes(feature) ?? true;
  }
}
