import type { ValueTransformer } from 'typeorm';

/** pg gives a bigint as a string; ours (bytes, epochs) stay far below 2^53. */
export const bigintAsNumber: ValueTransformer = {
  from: (value: string | null) => (value === null ? null : Number(value)),
  to: (value: number | null) => value,
};
