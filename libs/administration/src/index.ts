export { type Administrator, Administrators } from './administrators';
export { ManyRuns } from './many-runs';
export { namedNats, natsOfService, ownNats } from './nats-server';
export { Deployment, NatsAccess, type NatsServer, NoNatsAccess, Signals } from './ports';
export {
  type Decided,
  type DrainDecision,
  type PauseDecision,
  QueuesAndWorkers,
  scopeName,
  type TrustDecision,
} from './queues-and-workers';
export { Refusal, type RefusalKind } from './refusal';
export { type NewCredentials, Register, type Registered } from './register';
export * from './requests';
export { USE_CASES } from './use-cases';
