export * from './growing-pause';
