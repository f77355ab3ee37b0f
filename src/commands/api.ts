import {Args, Flags} from '@oclif/core';
import {allItems} from '../cli/api/pages.ts';
import {effectOf, noteTypedCreate, readCommand} from '../cli/api/any-request.ts';
import {RemitCommand} from '../cli/core/command.ts';
import type {Context} from '../cli/core/context.ts';
import {answerText, readHeaders, type IncludedAnswer} from '../cli/api/headers.ts';
import {acceptNewFlag, dryRunFlags, inGroup, statedAmountFlags} from '../cli/input/flags.ts';
import {readData} from '../cli/input/json-data.ts';
import {requestFacts} from '../cli/api/request-facts.ts';
import {makesRecord, paymentOf} from '../cli/api/request-payment.ts';
import {type ChosenKey, unremembered} from '../cli/doubts/payment.ts';
import {createStepsOf} from '../cli/write/steps.ts';
import {readStated} from '../cli/write/record-facts.ts';
import {guardPreview} from '../cli/guard/guard.ts';
import {refuseTypedForLive} from '../cli/guard/test-only.ts';
import {showPreview} from '../cli/write/previews.ts';
import {refuseTypedNumbers} from '../cli/write/sensitive-numbers.ts';
import {noteMoved} from '../cli/resources/lists.ts';
import type {Listing} from '../client/reading/listing.ts';
import {checkRequestPath} from '../client/requests/routes.ts';
import {readRequest} from '../service/read-request.ts';
import {operationOf} from '../service/routes.ts';
import {EXIT, RemitError} from '../errors.ts';
import type {JsonValue} from '../narrow.ts';

export default class Api extends RemitCommand {
  static override summary = 'Send any request with the key, guards, retries and output of the other commands';
  static override description =
    'The path begins with one / and stays on the base URL of the profile. A POST is retried after a lost answer only if it has an idempotency key; one is generated where the service documents it.';
  static override args = {
    method: Args.string({required: true, description: 'GET, POST, PATCH, PUT or DELETE'}),
    path: Args.string({required: true, description: 'path and query, such as /api/payouts?limit=5'}),
  };
  static override examples = [
    '<%= config.bin %> api GET "/api/payouts?limit=5" --query "data[].id"',
    '<%= config.bin %> api GET "/api/payouts?limit=100" --paginate -o ndjson',
    '<%= config.bin %> api GET "/api/payees?limit=1" --include --header "x-tenant: acme"',
    `<%= config.bin %> api POST /api/payees --data '{"name":"Acme"}'`,
  ];
  static override flags = {
    include: Flags.boolean({
      char: 'i',
      description: 'show the status and headers of the answer too',
      exclusive: ['paginate'],
    }),
    raw: Flags.boolean({
      description: 'ignore the service file: send and show names and amounts as the service has them',
    }),
    paginate: Flags.boolean({description: 'GET: follow the cursors of a list; the result is all items'}),
    ...inGroup('REQUEST', {
      data: Flags.string({char: 'd', helpValue: 'JSON', description: 'body: JSON, @file, or - for stdin'}),
      header: Flags.string({
        char: 'H',
        multiple: true,
        multipleNonGreedy: true,
        helpValue: 'NAME:VALUE',
        description: 'header to send; may be repeated',
      }),
      'idempotency-key': Flags.string({helpValue: 'KEY', description: 'idempotency key for this request'}),
      ...dryRunFlags,
      ...acceptNewFlag,
    }),
    ...inGroup('CHECK', statedAmountFlags),
  };

  async run() {
    const {args, flags} = await this.parse(Api);
    const method = args.method.toUpperCase();
    if (!['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].includes(method))
      throw new RemitError('USAGE', `${JSON.stringify(args.method)} is not a method that remit can send`, {
        hint: 'remit help api',
      });
    checkRequestPath(args.path);
    const context = await this.open();
    const {client, out, profile, stop, commands, effects} = context;
    const body = (await readData(flags.data, this.runtime)) ?? (method === 'POST' ? {} : undefined);
    const read = readRequest({method, path: args.path, body, isRaw: flags.raw}, profile.service);
    const {operation, isRaw} = read;
    const typed = {method, path: args.path, isRaw: flags.raw};
    const keyed = operation !== undefined && operationOf(operation).key !== undefined;
    const given = flags['idempotency-key'];
    refuseTypedForLive(context, read);
    refuseTypedNumbers(context, flags.data, body);
    const hintFor = (idempotencyKey: string | undefined) =>
      idempotencyKey === undefined || (operation !== undefined && !keyed)
        ? method === 'GET'
          ? undefined
          : readCommand(commands, typed)
        : commands.again(this.typed, {
            without: ['--idempotency-key', '--accept'],
            add: ['--idempotency-key', idempotencyKey],
          });
    const headers = readHeaders(flags.header ?? []);
    const isNewKey = given === undefined;
    const steps = createStepsOf(context, operation, {body: read.body, sent: body, isRaw});
    const inputFor = (idempotencyKey: string | undefined, isFreshKey: boolean) => ({
      ...{body, headers, idempotencyKey, isFreshKey, isRaw, hint: hintFor(idempotencyKey)},
      ...{returnsRecord: makesRecord(operation), wantsHeaders: flags.include, signal: stop.signal},
    });
    const newKey = given ?? (keyed ? this.runtime.uuid() : undefined);
    const isWrite = method !== 'GET' || body !== undefined;
    const request = {method, path: args.path, read, stated: readStated(flags)};
    if (flags['dry-run'] && isWrite) await guardPreview(() => requestFacts(context, request), profile);
    if (flags['dry-run']) {
      const previewed = steps === undefined ? body : steps.previewed(given);
      const input = {...inputFor(newKey, isNewKey), body: previewed};
      return showPreview(context, client.previewRequest(method, args.path, input));
    }
    if (flags.paginate) {
      if (method !== 'GET')
        throw new RemitError('USAGE', '--paginate is only for GET', {hint: 'remit help api'});
      const {service} = profile;
      return this.#list(context, allItems(context, {path: args.path, isRaw, headers, service}));
    }
    if (isWrite) {
      await context.guardWrite(
        await requestFacts(context, request),
        (steps?.bodies ?? [body]).map((one) => ({method, path: args.path, body: one, isRaw})),
        steps?.follows,
      );
    }
    const send = async (key: ChosenKey) => {
      const {isRepeat, isOwn, earlier} = key;
      const idempotencyKey = keyed ? key.idempotencyKey : given; // elsewhere the service may ignore it
      if (idempotencyKey !== undefined) out.notice(`Idempotency key: ${idempotencyKey}`);
      const input = {...inputFor(idempotencyKey, isNewKey && !isRepeat), mayApproveAtOnce: isOwn, earlier};
      const between = input.hint === undefined ? {} : steps?.between(key, input.hint);
      const result = await client.request(method, args.path, {...input, ...between});
      const noted =
        steps && noteTypedCreate(context, steps, {read, result, key, isFreshKey: input.isFreshKey});
      return {idempotencyKey, noted, ...result};
    };
    const payment = paymentOf(read, {accepts: flags.accept ?? [], typed: this.typed});
    const sent = await (payment === undefined
      ? send(unremembered(newKey, isNewKey))
      : (await import('../cli/doubts/memory.ts')).sendPayment(
          context,
          payment,
          keyed ? {given} : undefined,
          send,
        ));
    const {data, status, warning, headers: answered, idempotencyKey, noted} = sent;
    if (method !== 'GET') effects.took(effectOf(data, typed, {idempotencyKey, commands}));
    if (status === 207 || sent.isPartial || noted?.unintended !== undefined) {
      out.warn(warning ?? noted?.unintended ?? 'the service answered 207');
      if (noted?.next !== undefined) out.hint(noted.next);
      this.exitWith(EXIT.PARTIAL);
    }
    if (answered !== undefined)
      return this.#included(context, {http_status: status, headers: answered, body: data});
    const answer = data ?? {http_status: status};
    if (!this.#isFormatted(context)) await out.document(answer);
    return answer;
  }

  /** At a terminal like an HTTP answer, for machines as one object. */
  async #included(context: Context, answer: IncludedAnswer): Promise<IncludedAnswer> {
    const {out} = context;
    if (this.#isPlainPipe(context)) await out.document(answer);
    else out.text(answerText(answer));
    return answer;
  }

  async #list(context: Context, items: Listing<JsonValue>): Promise<undefined> {
    const {out, effects} = context;
    if (!this.#isPlainPipe(context)) await out.list(items);
    else {
      const all: JsonValue[] = [];
      for await (const item of items) all.push(item);
      await out.document(all);
    }
    noteMoved(effects, items);
    return undefined;
  }

  /** A program reads the answer and did not ask for a format: it gets the JSON of the service, not a table. */
  #isPlainPipe(context: Context): boolean {
    return !context.out.isTerminal && !this.#isFormatted(context);
  }

  /** People read an answer of any path best as JSON, too: as a card, a list would be one cell. */
  #isFormatted({out, flags}: Context): boolean {
    const {format, fields, query} = out.settings;
    const isChosen = flags.output !== undefined || this.project?.output !== undefined;
    return format !== 'table' || isChosen || fields.length > 0 || query !== undefined;
  }
}
