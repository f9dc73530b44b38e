import { Packages } from '@proctor/database';
import { apiConfiguration } from '@test/support/api-configuration';
import { OwnBackends } from './own-backends';

/** @returns those of packages whose look-ups are counted */
function backendsWithCount(packageBackendsRememberedMs: number) {
  const packages = Object.create(Packages.prototype) as Packages;
  const lookUp = jest
    .spyOn(packages, 'backends')
    .mockImplementation(() => Promise.resolve(new Map([['hello', 'qemu']])));
  const configuration = apiConfiguration({ packageBackendsRememberedMs });
  return { lookUp, configuration, backends: new OwnBackends(packages, configuration) };
}

it('own backends are looked up once while they are remembered, and by the configuration of now', async () => {
  const { lookUp, configuration, backends } = backendsWithCount(60_000);
  await Promise.all([backends.load(), backends.load()]);
  expect(await backends.load()).toEqual(new Map([['hello', 'qemu']]));
  expect(lookUp).toHaveBeenCalledTimes(1);
  configuration.server.packageBackendsRememberedMs = 0;
  await backends.load();
  await backends.load();
  expect(lookUp).toHaveBeenCalledTimes(3);
});

it('own backends are looked up again after a look-up that failed', async () => {
  const { lookUp, backends } = backendsWithCount(60_000);
  lookUp.mockRejectedValueOnce(new Error('away'));
  await expect(backends.load()).rejects.toThrow('away');
  expect((await backends.load()).get('hello')).toBe('qemu');
});
