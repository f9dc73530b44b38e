import { IsBase64, IsBoolean, IsInt, IsOptional, Min } from 'class-validator';

/** `proctor.log.{worker}.{runId}.{attempt}.{grantEpoch}`: a piece of the live log, in order. */
export class LogChunk {
  /** 0 is the first; a reader resumes at the number after the last it has. */
  @IsInt()
  @Min(0)
  chunk: number;

  /** Bytes of the log before this chunk. */
  @IsInt()
  @Min(0)
  offset: number;

  /** Raw bytes of the log, base64. */
  @IsBase64()
  data: string;

  /** Its data are a note of the worker about the log, and no bytes of it. */
  @IsOptional()
  @IsBoolean()
  isNote?: boolean;
}
