import {withField, withRoute} from '../service/shortcuts.ts';
import type {ServiceFile} from '../service/service-file.ts';
import {isAmountField} from '../service/units.ts';

/** Routes and fields as stored in profiles before service files existed. */
export interface FormerOverrides {
  readonly operations?: Readonly<Record<string, {readonly method?: string; readonly path?: string}>>;
  readonly fields?: Readonly<Record<string, string>>;
}

/** The former overrides as a service file. A renamed amount was always in minor units. */
export function formerServiceOf({operations = {}, fields = {}}: FormerOverrides): ServiceFile {
  let service: ServiceFile = {};
  for (const [id, route] of Object.entries(operations)) service = withRoute(service, id, route);
  for (const [name, wire] of Object.entries(fields)) {
    service = withField(service, name, wire);
    const [resource = '', , field = ''] = name.split('.');
    if (isAmountField(field))
      service = {...service, units: {...service.units, [`${resource}.${field}`]: 'minor'}};
  }
  return service;
}
