import { Controller, Get, Header, HttpCode, Inject, Post, Req, UseInterceptors } from '@nestjs/common';
import type { User } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { TakesList } from '../../http/body-need';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { baseUrl } from '../../http/paths';
import type { ContextRequest } from '../../http/request-context';
import { TakesForm } from '../../sessions/form-protection';
import { Form } from '../layout/form-action';
import type { Page } from '../layout/page';
import { CurrentUser, OwnPages, requireLogin } from './account-pages';
import { RequestFieldsPipe, UploadPipe } from './request-fields';
import type { RequestFields, RequestStep, Upload } from './request-fields';
import { RequestPageService } from './request.service';

type Step = RequestFields & { step: RequestStep };

/** The pages that request tests, by form or by file. */
@Controller('user/:user/test')
@Requires('nothing')
@OwnPages()
export class RequestController {
  constructor(
    private readonly requests: RequestPageService,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /** The form. The query can fill its fields. */
  @Get()
  @UseInterceptors(BodyInterceptor)
  page(@Sent(RequestFieldsPipe) fields: Step, @CurrentUser() user: User): Page {
    return this.requests.form(user, fields);
  }

  @Form('submit', {
    page: (pages: RequestController, request) =>
      pages.page(new RequestFieldsPipe().transform(request.parameters!), requireLogin(request)),
    refusal: 'Nothing was requested.',
  })
  submit(
    @Sent(RequestFieldsPipe) fields: Step,
    @CurrentUser() user: User,
    @Req() request: ContextRequest,
  ): Promise<Page> {
    if (fields.step === 'preview') return this.requests.preview(user, fields, this.baseUrl(request));
    return this.requests.submit(user, fields);
  }

  @Form('upload', {
    page: (pages: RequestController, request) =>
      pages.page(new RequestFieldsPipe().transform(new Map()), requireLogin(request)),
    refusal: 'Nothing was requested.',
  })
  @TakesList()
  upload(@Sent(UploadPipe) upload: Upload, @CurrentUser() user: User): Promise<Page> {
    return upload.step === 'preview'
      ? this.requests.check(user, upload)
      : this.requests.submitFile(user, upload);
  }

  private baseUrl(request: ContextRequest): string {
    return baseUrl(request, this.configuration.server.publicUrl);
  }
}

/** Downloads the request as a file, to upload later or to send to `POST /api/v1/test/batch`. */
@Controller('user/:user/test')
@Requires('nothing')
@OwnPages({ isData: true })
export class RequestExportController {
  constructor(private readonly requests: RequestPageService) {}

  @Post('export')
  @HttpCode(200)
  @Header('Content-Disposition', 'attachment; filename="tests.json"')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @TakesForm()
  export(@Sent(RequestFieldsPipe) fields: Step): Promise<string> {
    return this.requests.exportFile(fields);
  }
}
