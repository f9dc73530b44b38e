/** The architecture is not, or no longer, owned by this process: nothing may be answered. */
export class NotOwner extends Error {
  constructor(arch: string) {
    super(`this scheduler does not own ${arch}`);
  }
}

/** Not handled, through no fault of the message: asking again later helps. */
export class NotHandled extends Error {}
