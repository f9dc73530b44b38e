/**
 * A value of the request that must not reach the runner's command line: some versions put it unquoted into a root
 * shell.
 */
export class UnsafeRequest extends Error {}
