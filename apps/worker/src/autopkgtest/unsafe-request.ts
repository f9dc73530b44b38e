/** A value that must not reach the runner's command line: some of its versions put it unquoted into a root shell. */
export class UnsafeRequest extends Error {}
