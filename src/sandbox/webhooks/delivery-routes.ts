import type {Hono} from 'hono';
import * as z from 'zod';
import {issueWords} from '../../contract/schemas/issue-words.ts';
import {EVENT_TYPE_NAMES} from '../../contract/events.ts';
import {ServiceError, invalid} from '../service-error.ts';
import {DELIVERY_STATES} from './deliveries.ts';
import type {DeliveryDesk} from './delivery-desk.ts';

const Filter = z.strictObject({
  state: z.enum(DELIVERY_STATES).optional(),
  event: z.enum(EVENT_TYPE_NAMES).optional(),
  endpoint: z.uuid().optional(),
  before: z.uuid().optional(),
  limit: z
    .string()
    .regex(/^\d{1,4}$/)
    .default('50')
    .transform(Number)
    .pipe(z.int().min(1).max(1000)),
});

/** The control routes about deliveries; whoever adds them has seen to who may call them. */
export function addDeliveryRoutes(app: Hono, desk: DeliveryDesk): void {
  app.get('/sandbox/deliveries', async (c) => {
    const filter = Filter.safeParse(c.req.query());
    if (filter.success) return c.json({data: await desk.list(filter.data)});
    const [issue] = filter.error.issues;
    throw invalid(
      issue?.path.join('.') ?? '',
      issue === undefined ? 'is invalid' : issueWords(issue, c.req.query(issue.path.join('.'))),
    );
  });
  app.get('/sandbox/deliveries/:id', async (c) => c.json(await desk.show(known(c.req.param('id')))));
  app.post('/sandbox/deliveries/:id/redeliver', async (c) =>
    c.json(await desk.redeliver(known(c.req.param('id')))),
  );
}

/** What is no id is not asked for: a database may not even take it as text. */
function known(id: string): string {
  if (z.guid().safeParse(id).success) return id;
  throw new ServiceError('NOT_FOUND', `no delivery ${id}`);
}
