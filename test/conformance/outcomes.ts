/** The instance answered otherwise than it should. */
export class NotConforming extends Error {
  override name = 'NotConforming';
}

/** The instance, or who runs the suite, has not got what the check needs. */
export class NotTried extends Error {
  override name = 'NotTried';
}
