/** The architecture is not, or no longer, owned by this process: nothing may be answered. */
export class NotOwner extends Error {
  constructor(arch: string) {
    super(`this scheduler does not own ${arch}`);
  }
}

/** Not handled, for a reason that has nothing to do with the message: a later request may succeed. */
export class NotHandled extends Error {}
