const { projects } = require('../../jest.config.cjs');

// `npm run conformance:faults`: takes minutes, so it is no part of `npm test`.
module.exports = {
  ...projects.find(({ displayName }) => displayName === 'end-to-end'),
  displayName: 'planted faults',
  testMatch: ['<rootDir>/test/conformance/**/*.spec.ts'],
};
