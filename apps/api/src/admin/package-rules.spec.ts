import type { Settings } from '@proctor/config';
import { apiConfiguration } from '@test/support/api-configuration';
import { packageRules } from './package-rules';

const settings: Settings = {
  folder: 'config',
  settings: [],
  sizeClasses: { huge: ['libreoffice'], big: ['linux-*', 'lib*'] },
  timeouts: { 'linux-*': 5_000, 'linux-image': 9_000 },
  runTimeoutMs: 1_000,
};
const rules = (name: string, own?: string | null) => packageRules(name, own, apiConfiguration(), settings);

it('a package without rules has the defaults', () => {
  expect(rules('hello')).toEqual({
    package: 'hello',
    known: false,
    backend: { value: 'unshare', rule: null },
    size_class: { value: null, rule: null },
    timeout_seconds: { value: 1, rule: null },
    rejected: [],
  });
});

it('the rule that counts for a package is named: its whole name goes before a pattern', () => {
  expect(rules('libreoffice', 'qemu')).toMatchObject({
    known: true,
    backend: { value: 'qemu', rule: 'libreoffice' },
    size_class: { value: 'huge', rule: 'libreoffice' },
  });
  expect(rules('linux-image', null)).toMatchObject({
    known: true,
    backend: { value: 'unshare', rule: null },
    size_class: { value: 'big', rule: 'linux-*' },
    timeout_seconds: { value: 9, rule: 'linux-image' },
  });
  expect(rules('constructor').timeout_seconds).toEqual({ value: 1, rule: null });
});

it('a rejected package is explained with its suites, architectures and versions', () => {
  expect(rules('not-on-arm').rejected).toEqual([{ suite: 'bookworm', arch: 'arm64', versions: ['*'] }]);
  expect(rules('blocked').rejected).toHaveLength(4);
});
