// Mocha's spec reporter, closed by one plain line that any CI can read: `N passed, N failed`.
const {reporters, Runner} = require('mocha');

module.exports = class SummaryReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const {passes, failures} = this.stats;
      process.stdout.write(`${passes} passed, ${failures} failed\n`);
    });
  }
};
