import { isArchitecture, isWord, WORKER_NAME } from '@proctor/contracts';
import { IsOptional, Matches } from 'class-validator';
import { IsStringThat } from '../shape/is-string-that';
import { must } from '../shape/must';
import { IsReason } from './reason';

const WORKER = must('be the name of a worker');

/** Names need not be of what is tested now: runs and pauses of what was may be left. */
export class ScopeShape {
  @IsOptional()
  @IsStringThat(isWord, must('be the name of a suite'))
  suite?: string;

  @IsOptional()
  @IsStringThat(isArchitecture, must('be the name of an architecture'))
  arch?: string;
}

export class PauseShape extends ScopeShape {
  @IsReason()
  reason: string;
}

export class ResumeShape extends ScopeShape {
  @IsOptional()
  @IsReason()
  reason?: string;
}

export const PAUSE_KEYS = ['suite', 'arch', 'reason'];

export class DrainShape {
  @Matches(WORKER_NAME, WORKER)
  worker: string;

  @IsReason()
  reason: string;
}

/** A worker is to get runs again. */
export class RestoreShape {
  @Matches(WORKER_NAME, WORKER)
  worker: string;

  @IsOptional()
  @IsReason()
  reason?: string;
}

export const DRAIN_KEYS = ['worker', 'reason'];
