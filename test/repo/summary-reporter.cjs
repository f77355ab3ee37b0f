// Mocha's spec reporter, closed by one plain line that any CI can read: `N passed, N failed`, and `, N skipped` when the
// machine lacks something that tests need. Such a test is titled `skipped: …`, with what is missing; it never counts as passed.
const {reporters, Runner} = require('mocha');

module.exports = class SummaryReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const skipped = [];
    runner.on(Runner.constants.EVENT_TEST_PASS, (test) => {
      if (test.title.startsWith('skipped: ')) skipped.push(test);
    });
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const {passes, failures} = this.stats;
      for (const test of skipped) process.stdout.write(`${test.fullTitle()}\n`);
      const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
      process.stdout.write(`${passes - skipped.length} passed, ${failures} failed${tail}\n`);
    });
  }
};
