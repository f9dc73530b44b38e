import type { LaunchedNetwork, Launcher } from './launcher';
import type { RunUser } from './run-user';
import { preparedFields } from './sandbox-command';

/**
 * Networks that are up before a sandbox needs one: to bring one up takes most of the time in which a sandbox is opened. Each
 * is of one sandbox alone, and ends with it.
 */
export class SpareNetworks {
  private readonly spare = new Set<LaunchedNetwork>();
  private readonly ready = new Set<LaunchedNetwork>();

  constructor(
    private readonly launcher: Pick<Launcher, 'prepareNetwork'>,
    private readonly countMax: number,
  ) {}

  /** Makes those that are missing. One that cannot be made is left to the sandbox that needs it, which tells why. */
  fill(user: RunUser): void {
    while (this.spare.size < this.countMax) this.prepare(user);
  }

  /** One that is up, for one sandbox; null when there is none. */
  take(): LaunchedNetwork | null {
    const [network] = this.ready;
    if (network) this.remove(network);
    return network ?? null;
  }

  /** Ends all that no sandbox has. */
  async end(): Promise<void> {
    const spare = [...this.spare];
    for (const network of spare) this.remove(network);
    await Promise.all(spare.map((network) => network.stop()));
  }

  private prepare(user: RunUser): void {
    const network = this.launcher.prepareNetwork(preparedFields(user));
    this.spare.add(network);
    network.connected.then(
      () => this.spare.has(network) && this.ready.add(network),
      () => undefined,
    );
    void network.ended.then(() => this.remove(network));
  }

  private remove(network: LaunchedNetwork): void {
    this.spare.delete(network);
    this.ready.delete(network);
  }
}
