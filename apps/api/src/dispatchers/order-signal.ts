import { Inject, Injectable } from '@nestjs/common';
import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { DispatcherClient } from './dispatcher-client';

/** Wakes dispatchers after orders were committed. It is only a hint: they find orders without it. */
@Injectable()
export class OrderSignal {
  constructor(
    private readonly dispatchers: DispatcherClient,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** @param arch null: the orders may be of any architecture */
  send(arch: string | null): void {
    const architectures = arch === null ? this.configuration.server.architectures : [arch];
    for (const each of architectures)
      this.dispatchers.signal(subjectOf(SUBJECTS.ordersWaiting, each), { count: 1 });
  }
}
