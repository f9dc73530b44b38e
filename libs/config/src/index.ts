export * from './configuration';
export { loadConfiguration } from './load';
export { connections } from './connections';
export { hostRelease } from './host';
export { ConfigurationError } from './yaml-file';
