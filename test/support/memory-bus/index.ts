export * from './memory-broker';
export * from './memory-bus';
