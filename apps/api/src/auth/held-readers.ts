import { Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap, Provider } from '@nestjs/common';
import { type Clock, Repeater, systemClock } from '@proctor/clock';
import { asBackgroundWork } from '@proctor/database';
import { HeldConnections } from '../http/held-connections';
import { KeyCheck } from './key-check';
import { RememberedKeys } from './remembered-keys';

/** How long a connection may last after its key or session without a signal, for example when a key expires. */
const LOOK_EVERY_MS = 15_000;

/**
 * Closes connections of followers who may no longer read, or may now read something else: keys and sessions are
 * checked only at the start of a request, and these answers last. The client may connect again, and is checked again.
 */
export class HeldReaders implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('HeldReaders');
  private readonly looks: Repeater;
  private isLooking = false;
  private mustLookAgain = false;

  constructor(
    private readonly connections: Pick<HeldConnections, 'all'>,
    private readonly readers: Pick<KeyCheck, 'isStillReader'>,
    private readonly keys: Pick<RememberedKeys, 'onChange'>,
    clock: Clock,
  ) {
    this.looks = new Repeater(
      clock,
      () => LOOK_EVERY_MS,
      () => this.checkReaders(),
    );
  }

  onApplicationBootstrap(): void {
    this.keys.onChange(() => void this.checkReaders());
    this.looks.start();
  }

  beforeApplicationShutdown(): void {
    this.looks.stop();
  }

  /** However many signals come during a check, one further check follows. */
  private async checkReaders(): Promise<void> {
    this.mustLookAgain = true;
    if (this.isLooking) return;
    this.isLooking = true;
    while (this.mustLookAgain) {
      this.mustLookAgain = false;
      await this.checkOnce();
    }
    this.isLooking = false;
  }

  /** Checks one connection after the other, so that requests do not wait for so many checks. */
  private async checkOnce(): Promise<void> {
    for (const [response, request] of this.connections.all()) {
      try {
        if (!(await asBackgroundWork(() => this.readers.isStillReader(request)))) response.destroy();
      } catch (error) {
        // The next check may succeed.
        this.logger.warn(`it is not known whether connections may be held: ${String(error)}`);
        return;
      }
    }
  }
}

export const HELD_READERS: Provider = {
  provide: HeldReaders,
  inject: [HeldConnections, KeyCheck, RememberedKeys],
  useFactory: (connections: HeldConnections, readers: KeyCheck, keys: RememberedKeys) =>
    new HeldReaders(connections, readers, keys, systemClock),
};
