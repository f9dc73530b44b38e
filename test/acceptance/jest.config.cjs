const { projects } = require('../../jest.config.cjs');

// `npm run acceptance`: real packages on every backend and on a foreign architecture; takes many minutes.
module.exports = {
  ...projects.find(({ displayName }) => displayName === 'end-to-end'),
  displayName: 'acceptance',
  testMatch: ['<rootDir>/test/acceptance/**/*.spec.ts'],
};
