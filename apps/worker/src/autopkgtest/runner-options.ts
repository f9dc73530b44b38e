/** Option of autopkgtest → the first version that has it. */
const SINCE = {
  '--test-architecture': [5, 43],
} as const;

export type NewerOption = keyof typeof SINCE;

/** Whether a version of autopkgtest has an option. A version that nobody knows has none of the newer ones. */
export function hasOption(version: string | null, option: NewerOption): boolean {
  const [major, minor] =
    /^(\d+)\.(\d+)/
      .exec(version ?? '')
      ?.slice(1)
      .map(Number) ?? [];
  if (major === undefined || minor === undefined) return false;
  const [sinceMajor, sinceMinor] = SINCE[option];
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor);
}
