// jest's reporter without the summary at the end, which would repeat the path of each spec that was asked for.
module.exports = require('@jest/reporters').DefaultReporter;
