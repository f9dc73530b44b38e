import { Inject, Injectable } from '@nestjs/common';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { DispatcherClient } from './dispatcher-client';

/** Wakes dispatchers for orders that were committed. Only a hint: they find them by themselves. */
@Injectable()
export class OrderSignal {
  constructor(
    private readonly dispatchers: DispatcherClient,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @param arch null: of whatever architecture the orders are */
  send(arch: string | null): void {
    const architectures = arch === null ? this.configuration.server.architectures : [arch];
    for (const each of architectures)
      this.dispatchers.signal(subjectOf(SUBJECTS.ordersWaiting, each), { count: 1 });
  }
}
