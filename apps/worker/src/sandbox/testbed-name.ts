/** The host name of everything that runs in a sandbox; images know it as their own. */
export const TESTBED_NAME = 'testbed';
