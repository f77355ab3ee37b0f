// Mocha's spec reporter, closed by one plain line that any CI can read: `N passed, N failed`, and `, N skipped` when the
// machine lacks something that tests need. Such a test is titled `skipped: …`, with what is missing; it never counts as passed.
// With REMIT_TEST_TIMES=<file> it also writes how long the tests and hooks of each file took, in milliseconds.
const {writeFileSync} = require('node:fs');
const {relative} = require('node:path');
const {reporters, Runner} = require('mocha');

module.exports = class SummaryReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const skipped = [];
    const times = {};
    const note = ({file, duration}) => {
      if (file)
        times[relative(process.cwd(), file)] = (times[relative(process.cwd(), file)] ?? 0) + (duration ?? 0);
    };
    runner.on(Runner.constants.EVENT_TEST_END, note);
    runner.on(Runner.constants.EVENT_HOOK_END, note);
    runner.on(Runner.constants.EVENT_TEST_PASS, (test) => {
      if (test.title.startsWith('skipped: ')) skipped.push(test);
    });
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const {passes, failures} = this.stats;
      for (const test of skipped) process.stdout.write(`${test.fullTitle()}\n`);
      const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
      const record = process.env.REMIT_TEST_TIMES;
      if (record) writeFileSync(record, JSON.stringify(times));
      process.stdout.write(`${passes - skipped.length} passed, ${failures} failed${tail}\n`);
    });
  }
};
