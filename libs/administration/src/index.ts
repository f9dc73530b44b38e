import type { Type } from '@nestjs/common';
import { ManyRuns } from './many-runs';
import { PackageBackends } from './package-backends';
import { QueuesAndWorkers } from './queues-and-workers';
import { Register } from './register';
import { UsersAndKeys } from './users-and-keys';

export { ManyRuns } from './many-runs';
export { namedNats, natsOfService, ownNats } from './nats-server';
export type { PasswordPolicy } from './password-policy';
export {
  type Administrator,
  Deployment,
  NatsAccess,
  type NatsServer,
  NoNatsAccess,
  Signals,
  type Tested,
} from './ports';
export { PackageBackends } from './package-backends';
export { QueuesAndWorkers } from './queues-and-workers';
export { Register } from './register';
export * from './requests';
export { keyLimitsOf, newKeyObject, UsersAndKeys } from './users-and-keys';

/**
 * What administrators do: one list of providers for the api, which provides the stores of @proctor/database, Deployment, Signals
 * and NatsAccess too. The command line makes UsersAndKeys and Register itself, for what is done on the machine alone.
 */
export const USE_CASES: Type[] = [ManyRuns, PackageBackends, QueuesAndWorkers, Register, UsersAndKeys];
