import type { LaunchedNetwork, Launcher } from './launcher';
import type { RunUser } from './run-user';
import { preparedFields } from './sandbox-command';

/**
 * Networks that are up before a sandbox needs one, since connecting one takes most of the time of opening a sandbox.
 * Each belongs to one sandbox alone, and ends with it.
 */
export class SpareNetworks {
  private readonly spare = new Set<LaunchedNetwork>();
  private readonly ready = new Set<LaunchedNetwork>();

  constructor(
    private readonly launcher: Pick<Launcher, 'prepareNetwork'>,
    private readonly countMax: number,
  ) {}

  /**
   * Prepares the missing ones. When one fails, the sandbox that needs a network connects its own and reports the
   * reason.
   */
  fill(user: RunUser): void {
    while (this.spare.size < this.countMax) this.prepare(user);
  }

  /** Takes one that is up, for one sandbox; null: none is up. */
  claim(): LaunchedNetwork | null {
    const [network] = this.ready;
    if (network) this.remove(network);
    return network ?? null;
  }

  /** Stops all that no sandbox uses. */
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
    void network.ending.then(() => this.remove(network));
  }

  private remove(network: LaunchedNetwork): void {
    this.spare.delete(network);
    this.ready.delete(network);
  }
}
