import { IsBase64, IsBoolean, IsOptional, MaxLength } from 'class-validator';
import { MESSAGE_BYTES_MAX } from './size';
import { IsWholeFrom } from './whole-number';

/** The highest number of a chunk, and of bytes before one: 1 TiB of log. */
const CHUNK_MAX = 1_000_000_000;
const OFFSET_MAX = 2 ** 40;

/** `proctor.log.{worker}.{runId}.{attempt}.{grantEpoch}`: a piece of the live log, in order. */
export class LogChunk {
  /** 0 is the first; a reader resumes after the last number that it has. */
  @IsWholeFrom(0, CHUNK_MAX)
  chunk: number;

  /** Bytes of the log before this chunk. */
  @IsWholeFrom(0, OFFSET_MAX)
  offset: number;

  /** Raw bytes of the log, base64. */
  @MaxLength(MESSAGE_BYTES_MAX)
  @IsBase64()
  data: string;

  /** Whether its data are a note of the worker about the log, not bytes of the log. */
  @IsOptional()
  @IsBoolean()
  isNote?: boolean;
}
