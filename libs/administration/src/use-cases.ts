import type { Type } from '@nestjs/common';
import { Administrators } from './administrators';
import { ManyRuns } from './many-runs';
import { QueuesAndWorkers } from './queues-and-workers';
import { Register } from './register';

/**
 * What administrators do, for the api and for the command alike: one list of providers. Who provides them provides the stores
 * of @proctor/database, and Deployment, Signals and NatsAccess.
 */
export const USE_CASES: Type[] = [Administrators, ManyRuns, QueuesAndWorkers, Register];
