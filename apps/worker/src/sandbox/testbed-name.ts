/** The host name in every sandbox; images are built with it. */
export const TESTBED_NAME = 'testbed';
