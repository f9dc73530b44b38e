import { ArrayNotEmpty, ArrayUnique, IsArray, IsString } from 'class-validator';
import { must } from '../shape/must';

/** The shape of one part of a batch. */
export class BatchPart {
  @IsString(must('be a string'))
  suite: string;

  /** One name counts as a list of it. */
  @IsArray(must('be an architecture or an array of them'))
  @ArrayNotEmpty(must('be an architecture or an array of them'))
  @ArrayUnique(must('name each architecture once'))
  @IsString({ each: true, ...must('be an architecture or an array of them') })
  arch: string[];

  @IsArray(must('be an array'))
  tests: unknown[];
}

export const PART_KEYS = ['suite', 'arch', 'tests'] as const;
