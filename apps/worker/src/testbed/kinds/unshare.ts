import { PLAIN } from '../images/image-shape';
import { COPY_RESOLVER, TRIAL_TIMEOUT_MS, type TestbedKind } from './testbed-kind';

/** autopkgtest-virt-unshare: namespaces around an unpacked image. */
export const UNSHARE: TestbedKind = {
  name: 'unshare',
  tools: () => [],
  isolation: 'namespaces; no isolation-container, no reboot',
  emulates: true,
  image: PLAIN,
  modes: [''],
  trialTimeoutMs: TRIAL_TIMEOUT_MS,
  use: ({ image }) => Promise.resolve({ options: [COPY_RESOLVER], server: ['unshare', '--tarball', image] }),
};
