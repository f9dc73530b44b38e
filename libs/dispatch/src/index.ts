export * from './journal';
export * from './ownership';
