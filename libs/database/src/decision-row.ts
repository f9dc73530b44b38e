import { timestamp } from '@proctor/contracts';

/** What a row says of a decision. */
export interface DecisionRow {
  /** User name. */
  by: string;
  reason: string;
  since: Date;
}

/** Its time as the wire has it. */
export function decisionOf<Row extends DecisionRow>(row: Row): Omit<Row, 'since'> & { since: string } {
  return { ...row, since: timestamp(row.since) };
}
