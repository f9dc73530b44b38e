export { accountsText, type WorkerUser } from './accounts';
export { NatsUsers } from './users';
export * from './bus';
export * from './limits';
export {
  BadCredentials,
  Credentials,
  newCredentials,
  parseCredentials,
  publicKeyOf,
  readCredentials,
} from './credentials';
export * from './connect';
export * from './bus-strategy';
export * from './bus-context';
export * from './bus-error.filter';
export * from './bus.module';
export { Complaints } from './complaints';
export { Outages } from './outages';
export { NatsBus } from './nats-bus';
export { readServerState, reloadServers, sendSignals } from './short-connections';
export { StreamLevels, type StreamFill, type StreamFills } from './stream-levels';
