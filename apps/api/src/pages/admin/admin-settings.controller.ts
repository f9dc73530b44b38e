import { Controller, Get, Inject, Param, UseInterceptors } from '@nestjs/common';
import { BackendRequest, PackageBackends } from '@proctor/administration';
import type { Administrator } from '@proctor/administration';
import type { ConfigurationStatus } from '@proctor/config';
import { isPackageName, describe, Strict } from '@proctor/contracts';
import { Packages } from '@proctor/database';
import { formText } from '../../admin/form-fields';
import { SettingsService } from '../../admin/settings.service';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION, CONFIGURATION_STATUS } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { BodyInterceptor, Sent } from '../../http/body.interceptor';
import { badRequest } from '../../http/problem';
import { From } from '../../http/shape';
import { CurrentActor } from '../account/account-pages';
import { Form, SentForm } from '../layout/form-action';
import type { Page } from '../layout/page';
import { secondsInWords } from '../layout/times';
import { AdminPages } from './admin-pages';
import { PACKAGE_IN_PATH } from '../../http/path-ids';
import { loadPart } from '../../http/parts';

const PACKAGES_PER_PAGE = 100;

@Strict()
class PackagesQuery {
  /** The package whose rules are shown. The parameter is `q` in debci. */
  @From({ read: formText, alias: 'q' })
  package?: string;

  /** The last package of the previous page. */
  @From({ read: formText })
  after?: string;
}

/** The rules that apply to packages. */
@Controller('admin/packages')
@Requires('nothing')
@AdminPages()
export class PackageSettingsPageController {
  constructor(
    private readonly settings: SettingsService,
    private readonly packages: Packages,
    private readonly backends: PackageBackends,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  @Get()
  @UseInterceptors(BodyInterceptor)
  async page(@Sent() { package: name, after = '' }: PackagesQuery): Promise<Page> {
    if (name !== undefined && !isPackageName(name))
      throw badRequest(`package must be the name of a source package, not ${describe(name)}.`);
    const { rows: packages, last } = await loadPart(
      PACKAGES_PER_PAGE,
      (limit) => this.packages.withBackend(limit, after),
      (each) => each.name,
    );
    const { backends, defaultBackend } = this.configuration.server;
    const rules = name === undefined ? null : await this.settings.rulesOf(name);
    return {
      template: 'admin/packages',
      data: {
        name: name ?? '',
        rules,
        limit: rules && secondsInWords(Number(rules.timeout_seconds.value)),
        packages,
        last,
        backends,
        defaultBackend,
      },
    };
  }

  @Form(':package/backend', {
    then: '/admin/packages/?package=:package',
    page: (pages: PackageSettingsPageController, { params }) =>
      pages.page({ package: String(params['package']) }),
  })
  async setBackend(
    @Param('package', PACKAGE_IN_PATH) name: string,
    @SentForm() form: BackendRequest,
    @CurrentActor() by: Administrator,
  ): Promise<void> {
    await this.backends.set(name, form, by);
  }
}

/** The configuration in use, and changes to it that were refused. */
@Controller('admin/configuration')
@Requires('nothing')
@AdminPages()
export class ConfigurationPageController {
  constructor(
    private readonly settings: SettingsService,
    @Inject(CONFIGURATION_STATUS) private readonly status: () => ConfigurationStatus,
  ) {}

  @Get()
  page(): Page {
    const { folder, settings } = this.settings.inUse();
    const files = [...new Set(settings.map(({ file }) => file))].map((file) => ({
      file,
      settings: settings.filter((setting) => setting.file === file),
    }));
    return { template: 'admin/configuration', data: { ...this.status(), folder, files } };
  }
}
