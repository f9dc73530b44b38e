import { Inject, Injectable } from '@nestjs/common';
import { Bus } from '@proctor/bus';
import { diskSpace } from '@proctor/monitoring';
import { VERSION } from '@proctor/process';
import { CONFIGURATION, type LiveSchedulerConfiguration } from '../configuration.token';
import { Dispatchers } from '../dispatcher/dispatchers';
import { OwnershipKeeper } from '../ownership/ownership-keeper';

/** The services that a scheduler needs. */
type Dependency = 'database' | 'nats' | 'store';

/** The answer of `/health` of a scheduler. */
interface SchedulerState {
  version: string;
  /** Whether it can do its part: all dependencies work. A scheduler that owns no architecture may be ready too. */
  ready: boolean;
  /** The problem of each dependency; null if it has none. A store is checked only if it is a folder. */
  dependencies: Record<Dependency, string | null>;
  /** Architecture of the deployment → the epoch under which this scheduler owns it; null: it does not. */
  architectures: Record<string, number | null>;
  /** Owned architectures whose runs are not loaded yet. */
  loading: string[];
}

/** Built at each call. The database is not queried: the scheduler uses it all the time. */
@Injectable()
export class SchedulerHealth {
  constructor(
    @Inject(OwnershipKeeper) private readonly ownership: Pick<OwnershipKeeper, 'trouble'>,
    @Inject(Dispatchers) private readonly dispatchers: Pick<Dispatchers, 'figures'>,
    @Inject(Bus) private readonly bus: Pick<Bus, 'isConnected'>,
    @Inject(CONFIGURATION)
    private readonly configuration: Pick<LiveSchedulerConfiguration, 'server' | 'store'>,
  ) {}

  async report(): Promise<SchedulerState> {
    const figures = this.dispatchers.figures();
    const owned = [...figures];
    const dependencies = {
      database: this.ownership.trouble,
      nats: this.bus.isConnected() ? null : 'not connected',
      store: await this.storeTrouble(),
    };
    return {
      version: VERSION,
      ready: Object.values(dependencies).every((trouble) => trouble === null),
      dependencies,
      architectures: Object.fromEntries(
        this.configuration.server.architectures.map((arch) => [arch, figures.get(arch)?.epoch ?? null]),
      ),
      loading: owned.flatMap(([arch, loaded]) => (loaded ? [] : [arch])),
    };
  }

  private async storeTrouble(): Promise<string | null> {
    const { store } = this.configuration;
    if (store.kind !== 'folder') return null;
    try {
      return (await diskSpace(store.path)).freeBytes === 0 ? `${store.path}: the disk is full` : null;
    } catch (error) {
      return (error as Error).message;
    }
  }
}
