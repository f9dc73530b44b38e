import type { PipeTransform } from '@nestjs/common';
import { NewWorker } from '@proctor/administration';
import { describe, WORKER_NAME } from '@proctor/contracts';
import { notFound } from '../http/problem';
import { From } from '../http/shape';

/** How the fields of a new worker travel in a form. */
export class NewWorkerRequest extends NewWorker {
  @From({ text: 'json' })
  declare architectures: string[];

  @From({ text: 'boolean' })
  declare private?: boolean;
}

/** The name of a worker in a path. */
export class WorkerNamePipe implements PipeTransform<string, string> {
  /** @throws Problem 404 */
  transform(text: string): string {
    if (WORKER_NAME.test(text)) return text;
    throw notFound(`There is no worker ${describe(text)}.`);
  }
}
