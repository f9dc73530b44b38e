import type { PackageRules } from '@proctor/resources';
import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@proctor/config';
import { Packages } from '@proctor/database';
import { CONFIGURATION, SETTINGS } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { packageRules } from './package-rules';

/** The configuration, for administrators. */
@Injectable()
export class SettingsService {
  constructor(
    private readonly packages: Packages,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
    @Inject(SETTINGS) readonly inUse: () => Settings,
  ) {}

  /** The rules that apply to a package. */
  async rulesOf(name: string): Promise<PackageRules> {
    const own = await this.packages.backendOf(name);
    return packageRules(name, own?.backend, this.configuration, this.inUse());
  }
}
