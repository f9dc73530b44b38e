const { projects } = require('./jest.config.cjs');

/** Contract specs whose servers are within the process of the test. */
const WITHOUT_SERVERS = ['bus/memory', 'store/folder'].map(
  (name) => `<rootDir>/test/contract/${name}.spec.ts`,
);

const unit = projects.find(({ displayName }) => displayName === 'unit');

// What `npm test -- --quick` chooses from.
module.exports = {
  ...unit,
  displayName: 'quick',
  testMatch: [...unit.testMatch, ...WITHOUT_SERVERS],
  reporters: ['<rootDir>/test/support/without-summary.cjs'],
};
