export * from './clock';
export * from './limited';
export * from './wake-up';
