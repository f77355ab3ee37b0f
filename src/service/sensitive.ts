import {lastPart} from './paths.ts';
import type {ServiceFile} from './service-file.ts';

/** The service's names of account and card numbers, which are masked like the documented ones. */
export const numberNames = ({fields = {}}: ServiceFile): string[] =>
  Object.values(fields).flatMap((names) =>
    Object.entries(names).flatMap(([name, wire]) => (name.endsWith('number') ? [lastPart(wire)] : [])),
  );
