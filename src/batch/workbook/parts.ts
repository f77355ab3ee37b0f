import type {Archive} from './archive.ts';
import {brokenWorkbook} from './refusal.ts';
import {isTrue, readXml} from './xml.ts';

/** A sheet of a workbook. */
export interface SheetEntry {
  name: string;
  isHidden: boolean;
  /** The part with its rows; undefined for a chart. */
  part: string | undefined;
}

/** Where the parts of a workbook are. */
export interface WorkbookParts {
  sheets: SheetEntry[];
  is1904: boolean;
  strings: string | undefined;
  styles: string | undefined;
}

interface Relationship {
  type: string;
  target: string;
}

/** Reads the list of sheets and where each part is. */
export async function readParts(path: string, archive: Archive): Promise<WorkbookParts> {
  const root = await relationships(path, archive, '');
  const workbook = [...root.values()].find(({type}) => type.endsWith('/officeDocument'))?.target;
  if (workbook === undefined || !archive.has(workbook))
    throw brokenWorkbook(path, 'it has no list of sheets');
  const related = await relationships(path, archive, workbook);
  const found: {name: string; isHidden: boolean; id: string}[] = [];
  let is1904 = false;
  await readXml(path, workbook, archive.bytes(workbook, 'small'), {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = isTrue(attributes['date1904']);
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([attribute]) => /:id$/u.test(attribute))?.[1] ?? '';
      const isHidden = (attributes['state'] ?? 'visible') !== 'visible';
      found.push({name: attributes['name'] ?? '', isHidden, id});
    },
    text: () => undefined,
    close: () => undefined,
  });
  const partOf = (ending: string) =>
    [...related.values()].find(({type, target}) => type.endsWith(ending) && archive.has(target))?.target;
  return {
    sheets: found.map(({name, isHidden, id}) => {
      const relation = related.get(id);
      return {name, isHidden, part: relation?.type.endsWith('/worksheet') ? relation.target : undefined};
    }),
    is1904,
    strings: partOf('/sharedStrings'),
    styles: partOf('/styles'),
  };
}

/** Relationships of a part by id: `xl/workbook.xml` has them in `xl/_rels/workbook.xml.rels`. */
async function relationships(
  path: string,
  archive: Archive,
  part: string,
): Promise<ReadonlyMap<string, Relationship>> {
  const at = part.lastIndexOf('/') + 1;
  const [folder, name] = [part.slice(0, at), part.slice(at)];
  const file = `${folder}_rels/${name}.rels`;
  const found = new Map<string, Relationship>();
  if (!archive.has(file)) return found;
  await readXml(path, file, archive.bytes(file, 'small'), {
    open(element, {Id, Type, Target, TargetMode}) {
      if (element !== 'Relationship' || Id === undefined || Target === undefined) return;
      if (TargetMode === 'External') return; // another file; nothing of it is ever read
      found.set(Id, {type: Type ?? '', target: resolved(folder, Target)});
    },
    text: () => undefined,
    close: () => undefined,
  });
  return found;
}

/** Targets are relative to the folder of the part; those that begin with a slash, to the archive. */
function resolved(folder: string, target: string): string {
  const steps: string[] = [];
  for (const step of (target.startsWith('/') ? target : folder + target).split('/'))
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  return steps.join('/');
}
