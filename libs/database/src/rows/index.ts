import { getMetadataArgsStorage } from 'typeorm';

export * from './api-key';
export * from './attempt';
export * from './audit-entry';
export * from './day';
export * from './fact';
export * from './hour';
export * from './mail';
export * from './note';
export * from './order';
export * from './ownership';
export * from './package';
export * from './package-status';
export * from './run';
export * from './run-testbed';
export * from './upkeep';
export * from './user';
export * from './webhook';
export * from './worker';

/** Every table: the entities of the files above. */
export const ROWS = getMetadataArgsStorage().tables.map(({ target }) => target);
