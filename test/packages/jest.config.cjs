const { projects } = require('../../jest.config.cjs');

/** `npm run package:check`: makes the Debian packages, looks into them, and has Proctor execute their tests; takes many minutes. */
module.exports = {
  ...projects.find(({ displayName }) => displayName === 'end-to-end'),
  displayName: 'packages',
  testMatch: ['<rootDir>/test/packages/**/*.spec.ts'],
};
