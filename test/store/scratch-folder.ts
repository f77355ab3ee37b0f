import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A fresh folder for each test of the enclosing `describe`; `folder()` gives its path. */
export function scratchFolder(): () => string {
  let path = '';
  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'remit-store-'));
  });
  afterEach(() => rmSync(path, {recursive: true, force: true}));
  return () => path;
}
