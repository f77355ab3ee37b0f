'use strict';
// How a start ends if dist is missing or incomplete; it needs nothing of dist itself.
const fs = require('node:fs');
const path = require('node:path');

// Prints one line of JSON if JSON output was requested, like every other error.
exports.refuse = function refuse(why, root, argv) {
  const message = why.split('\n', 1)[0];
  const hint = fs.existsSync(path.join(root, 'src'))
    ? `npm --prefix ${quoted(root)} run build`
    : 'install remit again';
  const error = {
    ...{code: 'STATE_DAMAGED', message, http_status: null, exit_code: 13, retryable: false},
    ...{request_id: null, hint, details: null},
  };
  process.stderr.write(isJson(argv) ? `${JSON.stringify({error})}\n` : `Error: ${message}\nHint: ${hint}\n`);
  return process.exit(13);
};

// Quotes a word for a POSIX shell.
function quoted(word) {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function isJson(argv) {
  const end = argv.indexOf('--');
  return / (--json|(-o|--output)[ =]?(nd)?json)(?= |$)/.test(
    ` ${argv.slice(0, end === -1 ? argv.length : end).join(' ')}`,
  );
}
