import { Injectable } from '@nestjs/common';
import { Eta } from 'eta';
import { join } from 'node:path';

export const ASSETS_PATH = join(__dirname, 'assets');

/** The pages' templates. Every value they write is escaped. */
@Injectable()
export class Templates {
  private readonly eta = new Eta({ views: join(__dirname, 'views'), cache: true, autoEscape: true });

  /** @param page name of a file in `views`, without `.eta` */
  render(page: string, data: object): string {
    return this.eta.render(page, data);
  }
}
