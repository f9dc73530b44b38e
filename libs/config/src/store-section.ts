import { IsBoolean, IsIn, IsInt, IsOptional, IsUrl, Matches, Max, MaxLength, Min } from 'class-validator';
import { AtStart } from './at-start';
import { Count, Milliseconds } from './rules';
import { Path, SERVICE_URL } from './address-rules';

/** Large enough for a page of a bucket's list with the longest names. */
const ANSWER_BYTES_MIN = 1024 * 1024;
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** The minimum of S3 for every part but the last. */
const PART_BYTES_MIN = 5 * 1024 * 1024;
/** Parts are held in memory. */
const PART_BYTES_MAX = 256 * 1024 * 1024;

export class StoreSection {
  @AtStart() @IsIn(['folder', 's3']) kind: 'folder' | 's3' = 'folder';
  @AtStart() @Path() path = 'store';
  @AtStart()
  @IsOptional()
  // No request to the store sends a query of its address.
  @IsUrl({ ...SERVICE_URL, allow_query_components: false })
  endpoint?: string;
  @AtStart() @Matches(/^[a-zA-Z0-9-]{1,63}$/) region = 'us-east-1';
  @AtStart() @IsOptional() @Matches(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/) bucket?: string;
  @AtStart()
  @Matches(/^([\w.-]+\/)*$/, { message: 'prefix must be empty or names that each end in a slash' })
  @MaxLength(500)
  prefix = '';
  @AtStart() @IsBoolean() pathStyle = true;
  @AtStart() @Count() connectionsMax = 200;
  @AtStart() @Milliseconds() connectTimeoutMs = 5_000;
  @AtStart() @Milliseconds() answerTimeoutMs = 60_000;
  @AtStart() @Milliseconds() idleTimeoutMs = 300_000;
  @AtStart() @IsInt() @Min(ANSWER_BYTES_MIN) @Max(ANSWER_BYTES_MAX) answerBytesMax = ANSWER_BYTES_MIN;
  @AtStart() @IsInt() @Min(PART_BYTES_MIN) @Max(PART_BYTES_MAX) partBytes = PART_BYTES_MIN;
}
