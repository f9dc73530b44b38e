import { text } from '@proctor/resources';

/** The part of a path that names a package, as the API's document describes it. */
export const PACKAGE_PATH = {
  prefix: { of: text(), description: 'See above.', example: 'libf' },
  package: { of: text(), description: 'The name of a source package.', example: 'libfoo' },
};
