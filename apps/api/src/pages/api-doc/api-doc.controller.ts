import { Controller, Get, Header, Inject, UseInterceptors } from '@nestjs/common';
import { basePathOf } from '@proctor/config';
import { anyObject } from '@proctor/resources';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { Operation } from '../../http/operation';
import { PageInterceptor } from '../layout/page';
import type { Page, Redirect } from '../layout/page';
import { apiDocument } from '../../document/document';
import type { ApiDocument } from '../../document/api-document';
import { documentView } from './api-doc-view';

/** The description of the API, as a page and as JSON. No key is needed. */
@Controller('api')
@Requires('nothing')
export class DocumentController {
  private document: ApiDocument | undefined;
  private view: ReturnType<typeof documentView> | undefined;

  constructor(@Inject(CONFIGURATION) private readonly configuration: ApiConfiguration) {}

  @Operation({
    tag: 'Service',
    id: 'readDocument',
    summary: 'This document',
    answer: {
      description: 'OpenAPI 3.1; a page for people is at `/api/doc`.',
      of: anyObject({ required: ['openapi', 'info', 'paths'] }),
    },
  })
  @Get('v1/openapi.json')
  @Header('Cache-Control', 'public, no-cache')
  read(): object {
    return this.whole();
  }

  @Get()
  @UseInterceptors(PageInterceptor)
  lead(): Redirect {
    return { redirectTo: '/api/doc' };
  }

  @Get('doc')
  @Header('Cache-Control', 'public, no-cache')
  @UseInterceptors(PageInterceptor)
  page(): Page {
    this.view ??= documentView(this.whole());
    return { template: 'api-doc', data: this.view };
  }

  /** The description with the addresses of this deployment. */
  private whole(): ApiDocument {
    this.document ??= apiDocument();
    return { ...this.document, servers: [{ url: basePathOf(this.configuration.server.publicUrl) || '/' }] };
  }
}
