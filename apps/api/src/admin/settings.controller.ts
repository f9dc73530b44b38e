import { ConfigurationResource, PACKAGE_NAME, PackageRules } from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Get, HttpCode, Inject, Param, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { BackendRequest, PackageBackends } from '@proctor/administration';
import type { ConfigurationStatus } from '@proctor/config';
import { timestamp } from '@proctor/contracts';
import type { Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { AdministratorsGuard, CurrentRequestor } from '../auth/requestor';
import { CONFIGURATION_STATUS } from '../configuration.token';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { SettingsService } from './settings.service';
import { PACKAGE_IN_PATH } from '../http/path-ids';

/** The configuration, and the settings that administrators change. */
@Controller('api/v1/admin')
@Requires('key')
@UseGuards(AdministratorsGuard)
@UseInterceptors(BodyInterceptor)
export class SettingsController {
  constructor(
    private readonly settings: SettingsService,
    private readonly backends: PackageBackends,
    @Inject(CONFIGURATION_STATUS) private readonly status: () => ConfigurationStatus,
  ) {}

  @Operation({
    tag: 'Administration',
    id: 'showConfiguration',
    summary: 'What is in use, and what was refused',
    description:
      "The api's own reading of the folder, with secrets left out; `worker.yaml` is that of its machine.",
    answer: {
      description: 'The configuration.',
      of: ConfigurationResource,
      example: {
        folder: '/etc/proctor',
        loaded_at: '2026-11-20T15:39:00.000Z',
        problems: [],
        needs_restart: [],
        settings: [{ file: 'proctor.yaml', key: 'api.port', value: '8080', origin: 'default', line: null }],
      },
    },
    refusals: { 400: 'BadRequest' },
  })
  @Get('configuration')
  configuration(): ConfigurationResource {
    const { loadedAt, problems, needsRestart } = this.status();
    const { folder, settings } = this.settings.inUse();
    return { folder, loaded_at: timestamp(loadedAt), problems, needs_restart: needsRestart, settings };
  }

  @Operation({
    tag: 'Administration',
    id: 'showPackageRules',
    summary: 'Which rules apply to a package',
    answer: {
      description: 'The rules.',
      of: PackageRules,
      example: {
        package: 'linux-signed',
        known: true,
        backend: { value: 'qemu', rule: 'linux-signed' },
        size_class: { value: 'big', rule: 'linux-*' },
        timeout_seconds: { value: 57600, rule: 'linux-*' },
        rejected: [],
      },
    },
    path: { package: { of: PACKAGE_NAME } },
    refusals: { 400: 'BadRequest' },
  })
  @Get('packages/:package')
  rules(@Param('package', PACKAGE_IN_PATH) name: string): Promise<PackageRules> {
    return this.settings.rulesOf(name);
  }

  @Operation({
    tag: 'Administration',
    id: 'setBackend',
    summary: 'Where runs of a package are executed',
    description:
      'The backend of runs that are requested from now on without a backend. An api may take a second to use it.',
    answer: {
      description: 'It is changed; the rules of the package.',
      of: PackageRules,
      example: {
        package: 'linux-signed',
        known: true,
        backend: { value: 'qemu', rule: 'linux-signed' },
        size_class: { value: 'big', rule: 'linux-*' },
        timeout_seconds: { value: 57600, rule: 'linux-*' },
        rejected: [],
      },
    },
    path: { package: { of: PACKAGE_NAME } },
    body: { example: { backend: 'qemu' } },
    refusals: {
      404: {
        description: 'No run of such a package was requested.',
        detail: 'No run of a package "linux-signed" was requested.',
      },
    },
  })
  @Post('packages/:package/backend')
  @HttpCode(200)
  async setBackend(
    @Param('package', PACKAGE_IN_PATH) name: string,
    @Sent() request: BackendRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<PackageRules> {
    await this.backends.set(name, request, requestor);
    return this.settings.rulesOf(name);
  }
}
