export * from './clock';
export * from './growing-pause';
export * from './limited';
export * from './repeater';
export * from './wake-up';
