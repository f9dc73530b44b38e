import { columnsOf, type WholeRow, without } from '../kit/columns-of';
import { type ColumnsOf, integer, selectList, type Statement, statement, text } from '../kit/statement';
import { RequestedRun, RunRow } from '../rows/run';

/** The columns of a request: all code that inserts, copies, selects or loads runs takes the columns from here. */
export const REQUEST_COLUMNS = without(columnsOf(RequestedRun), 'runId');

/** The columns that describe a test: two runs that agree in them are of the same test. */
export const TEST_COLUMNS = without(REQUEST_COLUMNS, 'priority', 'trigger', 'isPrivate');

/** Columns of `runs` for the service itself, and those that are too large for a list. */
const NOT_RECORDED = [
  'requestorId',
  'apiKeyId',
  'retriedBy',
  'takenIn',
  'createdIn',
  'tests',
  'errorSignature',
  'errorExcerpt',
] as const;

/** A run with the fields that the API and the pages show. */
export interface RunRecord extends Omit<WholeRow<RunRow>, (typeof NOT_RECORDED)[number]> {
  /** The API key that may read it. */
  keyId: number;
  /** The name of the user. */
  requestor: string;
}

/** The columns of a row `r` of `runs`, and of the requestor's row `u` of `users`. */
export const RECORD_COLUMNS = {
  ...without(columnsOf(RunRow), ...NOT_RECORDED),
  keyId: integer.from('r.api_key_id'),
  requestor: text.from('u.name'),
} satisfies ColumnsOf<RunRecord>;

/** A statement for RunRecords; `rest` has conditions on `r` and the order. */
export function selectRecords(rest: string): Statement<RunRecord> {
  return statement(
    RECORD_COLUMNS,
    `select ${selectList(RECORD_COLUMNS, 'r')} from runs r join users u on u.user_id = r.requestor_id ${rest}`,
  );
}
