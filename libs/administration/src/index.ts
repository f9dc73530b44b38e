import type { Type } from '@nestjs/common';
import { Administrators } from './administrators';
import { ManyRuns } from './many-runs';
import { PackageBackends } from './package-backends';
import { QueuesAndWorkers } from './queues-and-workers';
import { Register } from './register';
import { UsersAndKeys } from './users-and-keys';

export { type Administrator, Administrators } from './administrators';
export { KeyChange, keyLimitsOf, NEVER, NewKey } from './key-requests';
export { ManyRuns } from './many-runs';
export { namedNats, natsOfService, ownNats } from './nats-server';
export type { PasswordPolicy } from './password-policy';
export { Deployment, NatsAccess, type NatsServer, NoNatsAccess, Signals, type Tested } from './ports';
export { PackageBackends } from './package-backends';
export {
  type Decided,
  type DrainDecision,
  type PauseDecision,
  type QuarantineDecision,
  QueuesAndWorkers,
  type TrustDecision,
} from './queues-and-workers';
export { Refusal, type RefusalKind } from './refusal';
export { type NewCredentials, Register, type Registered } from './register';
export * from './requests';
export { UsersAndKeys } from './users-and-keys';

/**
 * What administrators do, for the api and for the command alike: one list of providers. Who provides them provides the stores
 * of @proctor/database, and Deployment, Signals and NatsAccess.
 */
export const USE_CASES: Type[] = [
  Administrators,
  ManyRuns,
  PackageBackends,
  QueuesAndWorkers,
  Register,
  UsersAndKeys,
];
