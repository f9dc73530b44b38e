import { Injectable } from '@nestjs/common';
import type { ArgumentMetadata } from '@nestjs/common';
import { WORKER_NAME } from '@proctor/contracts';
import { IsOptional, Matches } from 'class-validator';
import { describe, refused } from '../http/problem';
import { ParametersPipe } from '../http/parameters.pipe';
import { IsArchitectureName, IsReason, IsSuiteName, must } from '../http/rules';
import { Strict } from '../http/shape';
import type { Parameters } from '../http/parameters';

const WORKER = must('be the name of a worker');

/** Everything, all queues of a suite or architecture, or one queue. */
@Strict()
export class ScopeRequest {
  @IsOptional()
  @IsSuiteName()
  suite?: string;

  @IsOptional()
  @IsArchitectureName()
  arch?: string;
}

export class PauseRequest extends ScopeRequest {
  @IsReason()
  reason: string;
}

export class ResumeRequest extends ScopeRequest {
  @IsOptional()
  @IsReason()
  reason?: string;
}

@Strict()
export class DrainRequest {
  @Matches(WORKER_NAME, WORKER)
  worker: string;

  @IsReason()
  reason: string;
}

/** A worker is to get runs again. */
@Strict()
export class RestoreRequest {
  @Matches(WORKER_NAME, WORKER)
  worker: string;

  @IsOptional()
  @IsReason()
  reason?: string;
}

/** Refuses a pause of what is not tested here, which would hold nothing back. */
@Injectable()
export class PausePipe extends ParametersPipe {
  /** @throws Problem 400 */
  override transform(parameters: Parameters, metadata: ArgumentMetadata): object {
    const scope: ScopeRequest = super.transform(parameters, metadata);
    const { suites, architectures } = this.configuration.server;
    checkKnown('suite', scope.suite, suites, parameters);
    checkKnown('arch', scope.arch, architectures, parameters);
    return scope;
  }
}

function checkKnown(key: string, name: string | undefined, known: string[], parameters: Parameters): void {
  if (name === undefined || known.includes(name)) return;
  const pointer = parameters.get(key)?.pointer ?? null;
  throw refused(`${key} ${describe(name)} is unknown; there is ${known.join(', ')}.`, pointer);
}
