import type { PipeTransform } from '@nestjs/common';
import { describe, WORKER_NAME } from '@proctor/contracts';
import { notFound } from '../http/problem';

/** The name of a worker in a path. */
export class WorkerNamePipe implements PipeTransform<string, string> {
  /** @throws Problem 404 for what no worker can be called */
  transform(name: string): string {
    if (WORKER_NAME.test(name)) return name;
    throw notFound(`There is no worker ${describe(name)}.`);
  }
}
