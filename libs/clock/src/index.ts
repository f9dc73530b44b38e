export * from './clock';
export * from './limited';
export * from './repeater';
export * from './wake-up';
export * from './work-loop';
