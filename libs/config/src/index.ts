export * from './configuration';
export { loadConfiguration } from './load';
export { connections } from './connections';
export { ConfigurationError } from './yaml-file';
