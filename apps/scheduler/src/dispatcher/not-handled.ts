/** The architecture is not, or no longer, owned by this process: nothing may be answered. */
export class NotOwner extends Error {
  constructor(arch: string) {
    super(`this scheduler does not own ${arch}`);
  }
}

/** The message was not handled for a reason outside of it: a later request may succeed. */
export class NotHandled extends Error {}
