import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { PublicCache } from '../data/public-cache';
import { Templates } from './templates';

/** Answers with pages. */
@Injectable()
export class PageSender {
  constructor(
    private readonly templates: Templates,
    private readonly cache: PublicCache,
  ) {}

  /** @param page name of a template */
  send(response: Response, page: string, data: object): void {
    response.set('Cache-Control', 'no-cache').type('html').send(this.templates.render(page, data));
  }

  /**
   * A page that is made from rows alone: it has an age.
   * @param updates when the rows were last written
   */
  sendPublic(response: Response, page: string, data: object, updates: Date[]): void {
    this.cache.mark(response, updates, 0);
    response.type('html').send(this.templates.render(page, data));
  }
}
