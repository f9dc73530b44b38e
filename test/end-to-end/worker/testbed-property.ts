/** What a test may count on in a testbed, and where it may not. docs/testbeds.md has the table. */
export interface TestbedProperty {
  name: string;
  /** The user of the probe: the test's own user, or root of the testbed. */
  as: 'user' | 'root';
  /** A shell command that succeeds where the testbed has the property. */
  probe: string;
  /** Which of the images that docs/testbeds.md names have it. */
  elsewhere: string;
  /** Backend → why it does not have it. */
  lacks?: Record<string, string>;
}

export const NO_ADMIN = 'podman gives no container this right, here as elsewhere';
