import {isList} from '../../../narrow.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import type {Context} from '../../core/context.ts';
import {findings} from '../survey/finding.ts';
import type {OpenApiDocument} from './document.ts';
import {readDocument} from './document.ts';
import {matchRoutes} from './routes.ts';
import {DescribedService} from './service.ts';
import {checkShapes} from '../reads/service.ts';
import {Asker} from '../survey/asker.ts';
import {untilNothingNew} from '../survey/passes.ts';
import {Survey} from '../survey/survey.ts';
import {routeOf} from '../../../service/routes.ts';

const {holds, differs} = findings('service');

/** Checks the assumptions against the OpenAPI document of the service. Sends no request to the service. */
export async function checkDocument(context: Context, source: string, base: ServiceFile): Promise<Survey> {
  const document = await readDocument(source, context);
  const described: Context = {...context, transportFor: async () => new DescribedService(document)};
  return untilNothingNew(
    new Survey(described, base, new Asker(described, {isDescribed: true})),
    async (survey) => {
      matchRoutes(document, survey);
      await checkShapes(survey);
      checkKeys(document, survey);
    },
  );
}

/** Checks header and format of idempotency keys. */
function checkKeys(document: OpenApiDocument, survey: Survey): void {
  const {method, path} = routeOf('payouts.create', survey.draft.file);
  const create = document.operations.find((one) => one.method === method && one.path === path);
  const parameters = isList(create?.operation['parameters']) ? create.operation['parameters'] : [];
  const header = parameters
    .map((one) => document.follow(one))
    .find(({name, in: place}) => place === 'header' && /idempot/i.test(String(name)));
  if (header === undefined) return;
  const name = String(header['name']);
  const {format, maxLength} = document.follow(header['schema']);
  const keys: NonNullable<ServiceFile['keys']> = {
    ...(name.toLowerCase() === 'idempotency-key' ? {} : {header: name}),
    ...(format === 'uuid' ? {format: 'uuid'} : {}),
    ...(typeof maxLength === 'number' && maxLength < 255 ? {maxLength} : {}),
  };
  const length = keys.maxLength === undefined ? '' : `, at most ${keys.maxLength} characters`;
  const evidence = `header ${name}${format === undefined ? '' : `, ${JSON.stringify(format)}`}${length}`;
  if (Object.keys(keys).length === 0) survey.found.push(holds('keys', evidence, {row: 45}));
  else survey.differs(differs('keys', evidence, {row: 45, write: {keys}, sure: true}));
}
