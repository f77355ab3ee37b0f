/** A mutation that no test can or should notice, with the reason. The other fields are as the report prints them. */
export interface Explanation {
  /** The declaration in which it is; the file is left out, so that the code can be moved. */
  symbol: string;
  before: string;
  after: string;
  reason: string;
}

/** Checked by the run and the suite: an explanation whose line is in no source, or in two, fails them. */
export const EXPLAINED: readonly Explanation[] = [
  {
    symbol: 'filtersOf',
    before:
      "excludes: (record) => !(typeof record[party] === 'string' && isSameId(record[party], NO_SUCH_ID)),",
    after:
      "excludes: (record) => !(typeof record[party] !== 'string' && isSameId(record[party], NO_SUCH_ID)),",
    reason: 'No record has the id that is asked for.',
  },
  {
    symbol: 'LONGEST_NAME',
    before: 'const LONGEST_NAME = 60;',
    after: 'const LONGEST_NAME = (60 + 1);',
    reason:
      'It keeps a message short; the sheets that spreadsheet programs write have names of at most 31 characters.',
  },
  {
    symbol: 'factsOf',
    before: 'if (met !== undefined) return met;',
    after: 'if (false) return met;',
    reason: 'The facts of a name are the same each time; only the time that it takes is not.',
  },
  {
    symbol: 'statedHorizonMs',
    before: 'return count === undefined ? undefined : Number(count) * (MS[unit] ?? 0);',
    after: 'return count === undefined ? undefined : Number(count) * (MS[unit] ?? (0 + 1));',
    reason: 'The validation allows no other unit.',
  },
  {
    symbol: 'protectionOf',
    before: "): Protection | undefined => (own.size > 0 && own.has(plain) ? 'number' : protection);",
    after: "): Protection | undefined => (own.size >= 0 && own.has(plain) ? 'number' : protection);",
    reason: 'An empty set has no name.',
  },
  {
    symbol: 'unescaped',
    before: 'const unescaped = anyOf([...BREAKS, ...INVISIBLE].filter(([, last]) => last > 0x1f));',
    after: 'const unescaped = anyOf([...BREAKS, ...INVISIBLE].filter(([, last]) => last >= 0x1f));',
    reason: 'JSON.stringify has escaped the characters up to 0x1f, so none is found.',
  },
  {
    symbol: 'strippedLine',
    before: "PLAIN.test(text) ? text : text.replace(anyBreak(), ' ').replace(anyInvisible(), '');",
    after: "false ? text : text.replace(anyBreak(), ' ').replace(anyInvisible(), '');",
    reason: 'A plain text has nothing to replace.',
  },
  {
    symbol: 'hasLongNumber',
    before: 'for (let at = 0; at < text.length; at += 1) {',
    after: 'for (let at = 0; at <= text.length; at += 1) {',
    reason: 'One more step, beyond the end, where there is no character.',
  },
  {
    symbol: 'canonical',
    before: "if (from === to) return '0';",
    after: 'if (from === to) return undefined as never;',
    reason: 'Two forms of zero are still equal, and no other number has this form.',
  },
  {
    symbol: 'canonical',
    before: '/^(-?)(\\d+)(?:\\.(\\d+))?(?:[eE]([+-]?\\d+))?$/.exec(number) ?? [];',
    after: '/(-?)(\\d+)(?:\\.(\\d+))?(?:[eE]([+-]?\\d+))?$/.exec(number) ?? [];',
    reason: 'The text is a number of JSON, so the first match is at its beginning.',
  },
  {
    symbol: 'exactJson',
    before:
      'return exactNumbersWritten() === before ? text : (stringify(value, null, indent, LITERALS) ?? text);',
    after: 'return exactNumbersWritten() === before ? text : (stringify(value, null, indent, LITERALS));',
    reason: 'A value in which a number was written is not undefined, and neither is its text.',
  },
  {
    symbol: 'FEW',
    before: 'const FEW = 8;',
    after: 'const FEW = (8 + 1);',
    reason: 'The same answers; a Set only takes longer for few names.',
  },
  {
    symbol: 'inDoubt',
    before:
      'retryable: call.namesKey ?? false, // with a new key, or with none, repeating it could do it twice',
    after: 'retryable: call.namesKey, // with a new key, or with none, repeating it could do it twice',
    reason: 'The same error: without a value it takes that of its code, which is false as well.',
  },
  {
    symbol: 'Totals.add',
    before: "if (typeof minor === 'number' && Math.abs(minor) <= EXACT) {",
    after: 'if (typeof minor === "number~" && Math.abs(minor) <= EXACT) {',
    reason: 'The same sums, by the other branch: adding numbers is only quicker than adding BigInts.',
  },
  {
    symbol: 'Totals.add',
    before: "if (typeof minor === 'number' && Math.abs(minor) <= EXACT) {",
    after: "if (typeof minor === 'number' && Math.abs(minor) < EXACT) {",
    reason: 'The same sums, by the other branch: adding numbers is only quicker than adding BigInts.',
  },
  {
    symbol: 'parseMajor',
    before: "if (more.length > 0 || fraction === '' || whole === '') refuseShape(text, format);",
    after: "if (more.length > 0 || fraction === '' && whole === '') refuseShape(text, format);",
    reason: 'The same refusal, by the next lines: an empty text has no digits.',
  },
  {
    symbol: 'refuseForeignForms',
    before: 'if (/^[+-]|[-+]$|^\\(.*\\)$/.test(text))',
    after: 'if (/^[+-]|[-+]$|^\\(.*\\)/.test(text))',
    reason: 'Text after the parentheses is refused either way, and told that parentheses are too many.',
  },
  {
    symbol: 'MOST_METHODS',
    before: 'const MOST_METHODS = 200;',
    after: 'const MOST_METHODS = (200 + 1);',
    reason:
      'A bound on the work for one line of a confirmation; one payment method more makes no difference.',
  },
  {
    symbol: 'PoolExchange.start',
    before: '{origin, path, method: request.method, headers: request.headers, body: request.body ?? null},',
    after: '{origin, path, method: request.method, headers: request.headers, body: request.body},',
    reason: 'The same result: undici takes a body of `undefined` for `null`; its types want `null`.',
  },
  {
    symbol: 'standingOf',
    before: 'standing(LIFECYCLES[kind], status ?? undefined, goal);',
    after: 'standing(LIFECYCLES[kind], status, goal);',
    reason:
      'The same result: no lifecycle has a status named `null`, so it is open as well; the types want this.',
  },
  {
    symbol: 'tellRegistry',
    before:
      "if (resolution === 'not-paid') refusePaid(registry.entries.find(row.reference), batch, row.reference);",
    after: 'if (true) refusePaid(registry.entries.find(row.reference), batch, row.reference);',
    reason:
      'The same result: a row resolved as paid was entered among the declared ones just before, which are not refused.',
  },
  {
    symbol: 'Follow.#tick',
    before: 'if (ticks % FLUSH_TICKS === 0) {',
    after: 'if (ticks % FLUSH_TICKS === (0 + 1)) {',
    reason: 'It flushes once a second as before, at the first tick of each second instead of the last.',
  },
  {
    symbol: 'openApiDocument',
    before: 'responses: Object.fromEntries(Object.entries(responses).sort(([a], [b]) => (a < b ? -1 : 1))),',
    after: 'responses: Object.fromEntries(Object.entries(responses).sort(([a], [b]) => (a <= b ? -1 : 1))),',
    reason: 'The same result: no two keys of an object are equal.',
  },
  {
    symbol: 'editDistance',
    before: 'if (Math.abs(a.length - b.length) >= limit) return limit;',
    after: 'if (Math.abs(a.length - b.length) > limit) return limit;',
    reason:
      'The same result, later: a distance is at least the difference in length, so it is not below the limit.',
  },
  {
    symbol: 'wrapLine',
    before: "const indent = /^ */.exec(line)?.[0] ?? '';",
    after: "const indent = / */.exec(line)?.[0] ?? '';",
    reason: 'The same result: no or more spaces are found at the very start of any line.',
  },
  {
    symbol: 'UTF8_MOST',
    before: 'const UTF8_MOST = 3;',
    after: 'const UTF8_MOST = (3 + 1);',
    reason: 'A text is measured exactly a little earlier; the result is the same.',
  },
  {
    symbol: 'Sanitizer.protectNumbers',
    before: 'if (fields.length === 0) return;',
    after: 'if (false) return;',
    reason: 'The same result: without more names the same two patterns are built again, only later.',
  },
  {
    symbol: 'parseMajor',
    before: 'const digits = group === undefined ? whole : ungroup(whole, group);',
    after: 'const digits = false ? whole : ungroup(whole, group);',
    reason:
      'The same result: `ungroup` returns text unchanged that does not contain the separator; the test is for types.',
  },
  {
    symbol: 'formatOf',
    before: "return isDigits(whole) || (group !== undefined && isDigits(ungroup(whole, group) ?? ''));",
    after: 'return isDigits(whole) || (group !== undefined && isDigits(ungroup(whole, group)));',
    reason: 'The same result: `undefined` as text is no digits either; the empty text is for types.',
  },
  {
    symbol: 'quoted',
    before: 'const masked = text.slice(0, 200).replace(/[0-9]{12,}/g, (run) => `…${run.slice(-4)}`);',
    after: 'const masked = text.slice(0, (200 + 1)).replace(/[0-9]{12,}/g, (run) => `…${run.slice(-4)}`);',
    reason: 'A bound on the work for an error; it shows 40 characters of the result.',
  },
  {
    symbol: 'readFields',
    before: 'const currency = Object.hasOwn(record, currencyField) ? record[currencyField] : undefined;',
    after: 'const currency = true ? record[currencyField] : undefined;',
    reason: 'The same result: no inherited property is text, and only text is taken for a currency.',
  },
  {
    symbol: 'sandboxKeyView',
    before:
      "columns: [text('Key', 'key'), text('Mode', 'mode'), text('Scope', 'scope'), text('Entity', 'entity_id', 1)],",
    after:
      "columns: [text('Key', 'key'), text('Mode', 'mode'), text('Scope', 'scope'), text('Entity', 'entity_id', (1 + 1))],",
    reason: 'The same result: it is the only column with a rank, and any rank lets it be left out.',
  },
  {
    symbol: 'idFields',
    before: "const others = recordFieldsOf(resource).filter((name) => isIdField(name) && name !== 'id');",
    after: 'const others = recordFieldsOf(resource).filter((name) => isIdField(name) && name !== "id~");',
    reason: 'The same result: the id is turned into text twice.',
  },
  {
    symbol: 'FIELD_WORDS',
    before: "destination_account_id: ['to_account_id', 'to_id', 'destination_id'],",
    after: "destination_account_id: [\"to_account_id~\", 'to_id', 'destination_id'],",
    reason: 'The same result: names are compared by their letters and digits only.',
  },
  {
    symbol: 'newerCounter',
    before:
      'if (openCreates.isEmpty && !entries.haveNewer(acknowledgedAt ?? 0)) return () => undefined; // of most releases',
    after: 'if (false) return () => undefined; // of most releases',
    reason: 'The same result, slower: the rows are looked up one by one, and none is found.',
  },
  {
    symbol: 'errnoOf',
    before: "error instanceof RemitError && error.code === 'STATE' ? error.details?.['errno'] : undefined;",
    after: "error instanceof RemitError || error.code === 'STATE' ? error.details?.['errno'] : undefined;",
    reason: 'Any other error comes again when the copy is made or opened.',
  },
  {
    symbol: 'isOfOther',
    before: 'return madeAt !== undefined && madeAt < (row.outcome.stagedAt ?? 0) - CLOCK_SLACK_MS;',
    after: 'return madeAt !== undefined && madeAt <= (row.outcome.stagedAt ?? 0) - CLOCK_SLACK_MS;',
    reason: 'A millisecond more or less of a slack of seconds decides nothing.',
  },
  {
    symbol: 'recordDecisions',
    before: 'if (renewed.length >= PAGE) journal.raiseGenerations(renewed.splice(0), now);',
    after: 'if (renewed.length > PAGE) journal.raiseGenerations(renewed.splice(0), now);',
    reason: 'The same result: the page that is written has one row more.',
  },
  {
    symbol: 'readParts',
    before: 'if (parts.open.length >= 2 * MOST_ROWS) parts.open = oldest(parts.open);',
    after: 'if (parts.open.length > 2 * MOST_ROWS) parts.open = oldest(parts.open);',
    reason: 'It keeps the memory small; the rows are sorted and cut once more at the end.',
  },
  {
    symbol: 'CsvAmounts.#major',
    before: "return signedMinor(`${sign}${groups.join('')}.${fraction ?? ''}`, currency, '.', at);",
    after: "return signedMinor(`${sign}${groups.join('')}.${fraction ?? ''}`, currency, \".~\", at);",
    reason: 'The text has a point, whatever else would be accepted.',
  },
  {
    symbol: 'Bai2Totals.#close',
    before: "throw this.#refuse({line}, `a trailer of a ${name ?? 'part'} in the wrong place`);",
    after: 'throw this.#refuse({line}, `a trailer of a ${name} in the wrong place`);',
    reason: 'Each trailer has a name.',
  },
  {
    symbol: 'CHUNK_BYTES',
    before: 'const CHUNK_BYTES = 16 * 1024;',
    after: 'const CHUNK_BYTES = (16 + 1) * 1024;',
    reason: 'The same text, in other pieces.',
  },
  {
    symbol: 'dayIn',
    before: "return dayOfParts([year, month.padStart(2, '0'), day.padStart(2, '0')], at);",
    after: 'return dayOfParts([year, month.padStart(2, \'0\'), day.padStart(2, "0~")], at);',
    reason: 'At most one character is added.',
  },
  {
    symbol: 'openSection',
    before:
      '<div class="chart broad">${ageChart(ages, {width: 936, height: 220})}</div><div class="chart narrow">${ageChart(ages, {width: 360, height: 200})}</div>',
    after:
      '<div class="chart broad">${ageChart(ages, {width: 936, height: 220})}</div><div class="chart narrow">${ageChart(ages, {width: 360, height: (200 + 1)})}</div>',
    reason: 'One pixel of a chart changes nothing that is shown.',
  },
  {
    symbol: 'Bai2Reader.take',
    before: "else if (record.code === '49') this.#closeAccount();",
    after: 'else if (true) this.#closeAccount();',
    reason: 'The other records are not within an account, so that there is none to close.',
  },
  {
    symbol: 'partsOf',
    before: 'const text = path === undefined ? undefined : detail.at(path);',
    after: 'const text = false ? undefined : detail.at(path);',
    reason: 'No text has no path.',
  },
  {
    symbol: 'readCsv',
    before: 'if (columns !== undefined) readRow({cells, line, columns}, into, amounts, {refuse, options});',
    after: 'if (true) readRow({cells, line, columns}, into, amounts, {refuse, options});',
    reason: 'The header comes before the records.',
  },
  {
    symbol: 'NO_END',
    before: "export const NO_END = '9';",
    after: 'export const NO_END = "9~";',
    reason: 'Both are later than every day.',
  },
  {
    symbol: 'requireSum',
    before: 'magnitude(amounts.reduce((sum, each) => sum + each, 0n)),',
    after: 'magnitude(amounts.reduce((sum, each) => sum - each, 0n)),',
    reason: 'Both sums have the same magnitude.',
  },
  {
    symbol: 'STATEMENT_CACHE_KIB',
    before: 'const STATEMENT_CACHE_KIB = 24_000;',
    after: 'const STATEMENT_CACHE_KIB = (24_000 + 1);',
    reason: 'The cache takes time or memory only: what is found is the same.',
  },
  {
    symbol: 'CACHE_KIB',
    before: 'const CACHE_KIB = 64_000;',
    after: 'const CACHE_KIB = (64_000 + 1);',
    reason: 'The cache takes time or memory only: what is found is the same.',
  },
  {
    symbol: 'Book.addStatement',
    before: 'setCache(this.#db, CACHE_KIB);',
    after: ';',
    reason: 'The cache takes time or memory only: what is found is the same.',
  },
  {
    symbol: 'Book.addStatement',
    before: 'setCache(this.#db, STATEMENT_CACHE_KIB);',
    after: ';',
    reason: 'The cache takes time or memory only: what is found is the same.',
  },
  {
    symbol: 'Book.#open',
    before: 'setCache(db, CACHE_KIB);',
    after: ';',
    reason: 'The cache takes time or memory only: what is found is the same.',
  },
  {
    symbol: 'earlier',
    before: 'const earlier = (a: string, b: string): string => (b < a ? b : a);',
    after: 'const earlier = (a: string, b: string): string => (b <= a ? b : a);',
    reason: 'Equal days are the same.',
  },
  {
    symbol: 'later',
    before: 'const later = (a: string, b: string): string => (b > a ? b : a);',
    after: 'const later = (a: string, b: string): string => (b >= a ? b : a);',
    reason: 'Equal days are the same.',
  },
  {
    symbol: 'CamtTotals.entry',
    before: 'total.sum += amount < 0n ? -amount : amount;',
    after: 'total.sum += amount <= 0n ? -amount : amount;',
    reason: 'A sum of 0 has no sign.',
  },
  {
    symbol: 'HEAD_BYTES',
    before: 'const HEAD_BYTES = 4096;',
    after: 'const HEAD_BYTES = (4096 + 1);',
    reason: 'It only has to be more than what the beginning of a file needs to be recognised.',
  },
  {
    symbol: 'setsBySum',
    before: 'const sum = (sums[mask & (mask - 1)] ?? 0n) + (amounts[lowest] ?? 0n);',
    after: 'const sum = (sums[mask & (mask - 1)] ?? 0n) + (amounts[lowest]);',
    reason: 'Every set is the lowest of its amounts and a set that was before it, so both are known.',
  },
  {
    symbol: 'setsBySum',
    before: 'const sum = (sums[mask & (mask - 1)] ?? 0n) + (amounts[lowest] ?? 0n);',
    after: 'const sum = (sums[mask & (mask - 1)]) + (amounts[lowest] ?? 0n);',
    reason: 'Every set is the lowest of its amounts and a set that was before it, so both are known.',
  },
  {
    symbol: 'CsvAmounts.#major',
    before: 'const groups = format.group === undefined ? [whole] : whole.split(format.group);',
    after: 'const groups = false ? [whole] : whole.split(format.group);',
    reason: 'Split at undefined, a text is one part.',
  },
  {
    symbol: 'CsvAmounts.#major',
    before: 'if (!isGrouped || more.length > 0 || (groups.length > 1 && (groups[0]?.length ?? 0) > 3))',
    after: 'if (!isGrouped || more.length > 0 || (groups.length > 1 && (groups[0]?.length) > 3))',
    reason: 'There is a first group.',
  },
  {
    symbol: 'CsvAmounts.#major',
    before: 'if (!isGrouped || more.length > 0 || (groups.length > 1 && (groups[0]?.length ?? 0) > 3))',
    after: 'if (!isGrouped || more.length > 0 || (groups.length > 1 && (groups[0]?.length ?? (0 + 1)) > 3))',
    reason: 'There is a first group.',
  },
  {
    symbol: 'CsvAmounts.#major',
    before: "else if (exponent > 0 && at.place !== undefined && 'line' in at.place)",
    after: "else if (exponent > (0 + 1) && at.place !== undefined && 'line' in at.place)",
    reason: 'No currency has one decimal.',
  },
  {
    symbol: 'statementColumns',
    before: 'if (taken.has(index)) throw fail(`--map reads ${shortQuote(header ?? column)} twice`);',
    after: 'if (taken.has(index)) throw fail(`--map reads ${shortQuote(header)} twice`);',
    reason: 'Without a header in the mapping, the line before has gone on.',
  },
  {
    symbol: 'readCsv',
    before: 'let width = 0;',
    after: 'let width = (0 + 1);',
    reason: 'The header comes first, and sets it.',
  },
  {
    symbol: 'readRow',
    before: "return index === undefined ? '' : (cells[index] ?? '').trim();",
    after: "return false ? '' : (cells[index] ?? '').trim();",
    reason: 'There is no cell at undefined.',
  },
  {
    symbol: 'readRow',
    before: "return index === undefined ? '' : (cells[index] ?? '').trim();",
    after: "return index === undefined ? '' : (cells[index]).trim();",
    reason: 'Every row has as many cells as the header.',
  },
  {
    symbol: 'readRow',
    before: ".map(({header, index}) => ({path: header, text: (cells[index] ?? '').trim()}))",
    after: '.map(({header, index}) => ({path: header, text: (cells[index]).trim()}))',
    reason: 'Every row has as many cells as the header.',
  },
  {
    symbol: 'dayIn',
    before: "return dayOfParts([year, month.padStart(2, '0'), day.padStart(2, '0')], at);",
    after: 'return dayOfParts([year, month.padStart(2, "0~"), day.padStart(2, \'0\')], at);',
    reason: 'At most one character is added.',
  },
  {
    symbol: 'Bai2Totals.amount',
    before: 'if (account !== undefined) account.sum += amount;',
    after: 'if (true) account.sum += amount;',
    reason: 'Only an open account has amounts; others are refused before.',
  },
  {
    symbol: 'Bai2Totals.#close',
    before: 'if (level === undefined || name === undefined || this.#open.length !== depth)',
    after: 'if (level === undefined && name === undefined || this.#open.length !== depth)',
    reason: 'Each trailer has a name, and one before any header is refused before.',
  },
  {
    symbol: 'Bai2Totals.#close',
    before: "throw this.#refuse({line}, `a trailer of a ${name ?? 'part'} in the wrong place`);",
    after: 'throw this.#refuse({line}, `a trailer of a ${name ?? "part~"} in the wrong place`);',
    reason: 'Each trailer has a name.',
  },
  {
    symbol: 'Bai2Reader.#openAccount',
    before: "if (this.#group === undefined) throw this.#refuse({line}, 'an account outside of a group');",
    after: "if (false) throw this.#refuse({line}, 'an account outside of a group');",
    reason: 'The totals have refused it before.',
  },
  {
    symbol: 'Bai2Reader.#openAccount',
    before: 'for (let rest = summaries; rest.length > 0;) {',
    after: 'for (let rest = summaries; rest.length > (0 + 1);) {',
    reason: 'One field alone is a type without an amount.',
  },
  {
    symbol: 'Bai2Reader.#closeAccount',
    before: 'if (group === undefined || account === undefined || group.isInterim) return;',
    after: 'if (group === undefined && account === undefined || group.isInterim) return;',
    reason: 'The totals have refused a trailer without its account before.',
  },
  {
    symbol: 'tagsOf',
    before: "if (cdata === undefined || last === 'header') {",
    after: 'if (cdata === undefined || last === "header~") {',
    reason: 'In the header no CDATA begins.',
  },
  {
    symbol: 'readBalances',
    before: '.filter((row, index) => !isSame(row, rows[index - 1]))',
    after: '.filter((row, index) => !isSame(row, rows[index + 1]))',
    reason: 'The last row of each account in place of its first: only the account and the currency are used.',
  },
  {
    symbol: 'HELD_ROWS',
    before: 'export const HELD_ROWS = 256;',
    after: 'export const HELD_ROWS = (256 + 1);',
    reason: 'The same rows: they are only written later.',
  },
  {
    symbol: 'LineWriter.#find',
    before: 'if (this.#held.size >= HELD_ROWS || this.#held.has(key)) this.#writeHeld();',
    after: 'if (this.#held.size > HELD_ROWS || this.#held.has(key)) this.#writeHeld();',
    reason: 'The same rows: they are only written later.',
  },
  {
    symbol: 'LineWriter.#find',
    before: 'if (this.#held.size >= HELD_ROWS || this.#held.has(key)) this.#writeHeld();',
    after: 'if (true) this.#writeHeld();',
    reason: 'The same rows: they are only written earlier.',
  },
  {
    symbol: 'LineWriter.putStated',
    before: 'if (found === undefined && key === line.key) this.#insert(line);',
    after: 'if (false) this.#insert(line);',
    reason:
      'The same lines under the same keys: a line that waits for others with its key is only stored twice.',
  },
  {
    symbol: 'LineWriter.putStated',
    before: 'else if (isUnreadSame(found, line)) this.#keep(found);',
    after: 'else if (false) this.#keep(found);',
    reason:
      'The same lines under the same keys: a line that waits for others with its key is only stored twice.',
  },
  {
    symbol: 'LineWriter.#ownKey',
    before: 'if (first === undefined && !this.#hasForgotten) return {key: line.key, found: first};',
    after: 'if (false) return {key: line.key, found: first};',
    reason:
      'The same key: where nothing was forgotten, no line has the key with the hash before one has the key itself.',
  },
  {
    symbol: 'StoredPayments.#put',
    before:
      'if (this.#held.size >= HELD_ROWS || this.#held.has(payment.key) || (this.#holdsDoubt && !isDoubt))',
    after:
      'if (this.#held.size > HELD_ROWS || this.#held.has(payment.key) || (this.#holdsDoubt && !isDoubt))',
    reason: 'The same rows: they are only written later.',
  },
  {
    symbol: 'StoredPayments.#put',
    before:
      'if (this.#held.size >= HELD_ROWS || this.#held.has(payment.key) || (this.#holdsDoubt && !isDoubt))',
    after: 'if (true)',
    reason: 'The same rows: they are only written earlier.',
  },
  {
    symbol: 'StoredPayments.#put',
    before:
      'if (this.#held.size >= HELD_ROWS || this.#held.has(payment.key) || (this.#holdsDoubt && !isDoubt))',
    after:
      'if (this.#held.size >= HELD_ROWS || this.#held.has(payment.key) || (this.#holdsDoubt || !isDoubt))',
    reason: 'The same rows: they are only written earlier.',
  },
  {
    symbol: 'StoredPayments.#holdsDoubt',
    before: '#holdsDoubt = false;',
    after: '#holdsDoubt = true;',
    reason: 'The same rows: they are only written earlier.',
  },
  {
    symbol: 'StoredPayments.#writeHeld',
    before: 'this.#holdsDoubt = false;',
    after: 'this.#holdsDoubt = true;',
    reason: 'The same rows: they are only written earlier.',
  },
  {
    symbol: 'linesOf',
    before: "rest = (pieces.pop() ?? '') + rest.slice(rest.length - held);",
    after: 'rest = (pieces.pop()) + rest.slice(rest.length - held);',
    reason: 'A text that is split has at least one piece.',
  },
  {
    symbol: 'ofxElements',
    before: "yield {kind: 'close', name, line};",
    after: 'yield {kind: "close~", name, line};',
    reason: 'The reader asks for the two other kinds.',
  },
];
