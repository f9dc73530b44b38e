export * from './configuration';
export { loadConfiguration } from './load';
export { LiveConfiguration, type ConfigurationStatus } from './live-configuration';
export { followConfiguration } from './follow';
export { rejectedVersions } from './reject-list';
export { sizeClasses } from './size-classes';
export { connections } from './connections';
export { hostArchitecture, hostRelease, hostWorkerName } from './host';
export { ConfigurationError } from './yaml-file';
