import { PLAIN } from '../images/image-shape';
import { TRIAL_TIMEOUT_MS, type TestbedKind } from './testbed-kind';

/** autopkgtest-virt-unshare: namespaces around an unpacked image. */
export const UNSHARE: TestbedKind = {
  name: 'unshare',
  tools: () => [],
  isolation: 'namespaces; no isolation-container, no reboot',
  emulates: true,
  image: PLAIN,
  modes: [''],
  trialTimeoutMs: TRIAL_TIMEOUT_MS,
  use: ({ image }) => Promise.resolve({ options: [], server: ['unshare', '--tarball', image] }),
};
