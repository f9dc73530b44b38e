import { Injectable } from '@nestjs/common';
import { describe } from '@proctor/contracts';
import { type Actor, Packages } from '@proctor/database';
import { Deployment } from './ports';
import { Refusal, type BackendRequest } from './requests';

/** The backends for runs of packages whose request names none. */
@Injectable()
export class PackageBackends {
  constructor(
    private readonly packages: Packages,
    private readonly deployment: Deployment,
  ) {}

  /**
   * Sets the backend of later requests; an api may take a second to follow.
   * @throws Refusal: `invalid` if the backend is not configured; `unknown` if no run of the package was requested
   */
  async set(name: string, { backend }: BackendRequest, by: Actor): Promise<void> {
    const { backends } = await this.deployment.testedPlaces();
    if (backend !== '' && !backends.includes(backend)) {
      const there = backends.join(', ');
      throw new Refusal('invalid', `backend ${describe(backend)} is unknown; there is ${there}`, 'backend');
    }
    if (!(await this.packages.setBackend(name, backend || null, by)))
      throw new Refusal('unknown', `no run of a package ${describe(name)} was requested`);
  }
}
