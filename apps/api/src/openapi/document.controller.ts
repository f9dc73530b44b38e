import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Templates } from '../pages/templates';
import { readDocument } from './document';
import type { ApiDocument } from './document';
import { documentView } from './document-view';

/** The description of the API, for programs and for people; it needs no key. */
@Controller('api')
export class DocumentController {
  private readonly document = readDocument();
  private readonly view = documentView(this.document);

  constructor(private readonly templates: Templates) {}

  @Get('v1/openapi.json')
  read(@Res({ passthrough: true }) response: Response): ApiDocument {
    response.set('Cache-Control', 'public, no-cache');
    return this.document;
  }

  @Get('doc')
  page(@Res() response: Response): void {
    response.set('Cache-Control', 'public, no-cache').type('html');
    response.send(this.templates.render('api-doc', this.view));
  }
}
