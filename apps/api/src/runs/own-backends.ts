import { Inject, Injectable } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import { Packages } from '@proctor/database';
import { Cached } from '@proctor/monitoring';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';

/** The backends of packages with their own, by name; at most `packageBackendsRememberedMs` old. */
@Injectable()
export class OwnBackends extends Cached<ReadonlyMap<string, string>> {
  constructor(packages: Packages, @Inject(CONFIGURATION) configuration: ApiConfiguration) {
    super(
      systemClock,
      () => configuration.server.packageBackendsRememberedMs,
      () => packages.backends(),
    );
  }
}
