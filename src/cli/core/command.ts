import {Command, type Interfaces} from '@oclif/core';
import {EXIT, type ExitCode, RemitError} from '../../errors.ts';
import type {JsonFields, Printable} from '../../narrow.ts';
import {asRemitError} from '../../output/failure.ts';
import type {KnownFields} from '../../output/records/known-fields.ts';
import {Output} from '../../output/output.ts';
import type {ShownRecord} from '../../output/shown.ts';
import {checkQuery} from '../../output/records/select.ts';
import {findProjectFile, type ProjectFile} from '../../profiles/project-file.ts';
import type {Typed} from '../line/command-line.ts';
import {withoutStdin} from '../line/typed-args.ts';
import {localCommands, localContext, openContext, type Context, type LocalContext} from './context.ts';
import type {CommandOutcome} from './outcome.ts';
import {type GlobalFlags, globalFlags} from '../input/global-flags.ts';
import {answerFields, readsRecords} from '../help/answer-fields.ts';
import {isParseError, usageError, withoutFrame, type Takes} from '../line/parse-errors.ts';
import {commandConfigOf} from './app.ts';
import {canAsk} from '../runtime/prompts.ts';
import type {Runtime} from '../runtime/runtime.ts';
import {guessSettings, outputSettings} from '../runtime/settings.ts';
import {readableStack} from './readable-stack.ts';
import {withDoctorToo, withFolder, withNextStep} from './next-step.ts';

type FlagValues = Interfaces.OutputFlags<Interfaces.FlagInput>;
type ArgValues = Interfaces.OutputArgs<Interfaces.ArgInput>;

/** @throws RemitError USAGE if the result of the command has no id */
async function refuseIds(id: string): Promise<void> {
  const {noIds, WITHOUT_IDS} = await import('../input/without-ids.ts');
  if (WITHOUT_IDS.has(id)) throw noIds(id.replaceAll(':', ' '));
}

/**
 * The base of every command. `run()` parses, opens a context, calls one function, shows the result to people with
 * `out`, and returns it for machines: with -o json and similar formats, the return value is printed once, at the end.
 */
export abstract class RemitCommand extends Command {
  static override baseFlags = globalFlags;

  /** Set by `exitWith`; an error thrown by `run()` takes precedence. */
  exitCode: ExitCode = EXIT.OK;
  #local: LocalContext | undefined;
  #context: Context | undefined;
  #args: JsonFields = {};
  #flags: GlobalFlags | undefined;
  #hidden: Readonly<Record<string, string>> = {};
  #project: ProjectFile | undefined;
  #knownFields: KnownFields | undefined;
  readonly #shown: ShownRecord[] = [];

  protected get runtime(): Runtime {
    return commandConfigOf(this).runtime;
  }

  /** Profile, client, output: for commands that call the service. Call after `this.parse`. */
  protected async open(options: {profile?: string | undefined} = {}): Promise<Context> {
    return (this.#context = await openContext(this.openLocal(), this.#project, options.profile));
  }

  /** Output, clock, folders: for commands that need neither profile nor key. Call after `this.parse`. */
  protected openLocal(): LocalContext {
    if (this.#local !== undefined) return this.#local;
    const {stdout, stderr, env, clock, cwd} = this.runtime;
    const flags = this.#flags;
    if (flags === undefined) throw new Error('open() was called before parse()');
    this.#project = findProjectFile(cwd, flags.profile, env);
    const out = new Output({
      ...{stdout, stderr, env, clock, settings: outputSettings(flags, this.#project)},
      ...{knownFields: this.#knownFields, mustTell: !readsRecords(this.id ?? '')},
      csvColumns: async () =>
        (await import('../help/outputs/listed-columns.ts')).listedColumns(this.id ?? ''),
      onShown: stdout.isTTY === true ? (shown) => this.#shown.push(shown) : undefined,
    });
    return (this.#local = localContext({out, runtime: this.runtime, flags}));
  }

  /** The active project file, once a context is open. */
  protected get project(): ProjectFile | undefined {
    return this.#project;
  }

  /** The words of this command, for a hint that repeats them. */
  protected get typed(): Typed {
    return {id: this.id ?? '', argv: this.argv};
  }

  /** Takes over a result that has its own exit code. */
  protected conclude({data, exitCode}: CommandOutcome): Printable {
    this.exitWith(exitCode);
    return data;
  }

  /** Exits with this code although nothing was thrown, such as 8 for a warning. */
  protected exitWith(code: ExitCode): void {
    this.exitCode = code;
  }

  protected override async parse<F extends FlagValues, B extends FlagValues, A extends ArgValues>(
    options?: Interfaces.Input<F, B, A>,
    argv?: string[],
  ): Promise<Interfaces.ParserOutput<F, B, A>> {
    // A class inherits `baseFlags`, so that spreading it does not include them.
    const input = options && {
      ...options,
      baseFlags: options.baseFlags,
      args: withoutStdin(options.args),
    };
    if (argv === undefined && canAsk(this.runtime)) await this.#askForMissing(input);
    const parsed = await super.parse(input, argv);
    this.#args = parsed.args;
    const flags = this.#keepFlags(parsed);
    if (flags.output === 'id') await refuseIds(this.id ?? '');
    if (flags.query !== undefined) await checkQuery(flags.query);
    if (flags.fields !== undefined) this.#knownFields = await answerFields(this.id ?? '');
    return parsed;
  }

  #keepFlags({flags}: {flags: object}): GlobalFlags {
    return (this.#flags = flags as GlobalFlags); // baseFlags are parsed together with the command's own flags
  }

  /**
   * At a terminal, asks for required values that were not typed; they count as typed from then on. What is wrong with
   * the typed words is left to the parser.
   */
  async #askForMissing<F extends FlagValues, B extends FlagValues, A extends ArgValues>(
    options: Interfaces.Input<F, B, A> | undefined,
  ): Promise<void> {
    const {questionsOf, lenient} = await import('../ask/questions.ts');
    const questions = questionsOf(this.id ?? '');
    if (questions === undefined || options === undefined) return;
    let typed;
    try {
      typed = await super.parse(lenient(options), this.argv);
    } catch (error) {
      if (isParseError(error) || error instanceof RemitError) return;
      throw error;
    }
    this.#keepFlags(typed);
    const {askMissing} = await import('../ask/ask.ts');
    const words = {id: this.id ?? '', argv: this.argv};
    const asked = await askMissing({questions, typed, words, open: () => this.open()});
    if (asked === undefined) return;
    this.argv = asked.argv;
    this.#hidden = asked.hidden;
  }

  /** The number for this flag, if it was asked for together with what else was missing. */
  protected prompted(flag: string): string | undefined {
    return this.#hidden[flag];
  }

  /** The fields of a bank account that were asked for, by name. */
  protected promptedFields(): [name: string, value: string][] {
    return Object.entries(this.#hidden).flatMap(([flag, value]): [string, string][] =>
      flag.startsWith('field ') ? [[flag.slice('field '.length), value]] : [],
    );
  }

  /**
   * Parses a command with `bodyFlags`: the fields of --data count as flags that were typed, also in the
   * commands that hints print.
   */
  protected async parseWithData<F extends FlagValues, B extends FlagValues, A extends ArgValues>(
    options: Interfaces.Input<F, B, A>,
  ): Promise<Interfaces.ParserOutput<F, B, A>> {
    if (this.argv.some((word) => word.startsWith('--data'))) {
      const {argvWithData} = await import('../input/data-flags.ts');
      const {COMMAND_OPERATIONS} = await import('../help/command-operations.ts');
      const {flags} = this.ctor;
      const command = this.id ?? '';
      this.argv = await argvWithData(this.argv, {
        ...{command, operations: COMMAND_OPERATIONS[command] ?? [], flags},
        input: this.runtime,
      });
    }
    return this.parse(options);
  }

  /** What a command does after it has run, whether it failed or not. */
  protected afterRun?(error?: unknown): Promise<void>;

  /** Runs the command to its end and writes its result or its error; never throws. */
  async runToEnd(): Promise<ExitCode> {
    let code: ExitCode;
    try {
      const result = await this.run().then(
        async (value: Printable) => {
          await this.afterRun?.();
          return value;
        },
        async (error: unknown) => {
          await this.afterRun?.(error);
          throw error;
        },
      );
      const {out} = this.openLocal();
      await out.result(result);
      const isPartial = out.queryFailed || out.lacksIds || this.#local?.effects.isPartial === true;
      code = isPartial && this.exitCode === EXIT.OK ? EXIT.PARTIAL : this.exitCode;
    } catch (error) {
      code = await this.#fail(error);
    }
    await this.#rememberShown();
    const unwritten = await this.#local?.out.flush({brokenPipeToo: this.#local.effects.wrote});
    if (unwritten !== undefined && !this.#hasLostTerminal()) code = await this.#fail(unwritten);
    return code;
  }

  /** Keeps the ids on the terminal for shell completion. */
  async #rememberShown(): Promise<void> {
    const local = this.#local;
    if (local === undefined || this.#shown.length === 0) return;
    const {rememberShown} = await import('../completion/remember.ts');
    const {env, home, clock} = this.runtime;
    rememberShown(
      this.#shown.map(({noun, record}) => ({noun, record: local.out.sanitizer.value(record, 'line')})),
      {env, home, nowMs: clock.now(), profile: this.#context?.profile},
    );
  }

  /**
   * Failing to write to a closed terminal is not a separate failure: the exit code says that the run was terminated.
   */
  #hasLostTerminal(): boolean {
    const {stop, stdout} = this.runtime;
    return stop.hungUp && stdout.isTTY === true;
  }

  /** The one place where an error becomes text or JSON and an exit code. */
  async #fail(thrown: unknown): Promise<ExitCode> {
    const error = isParseError(thrown)
      ? usageError(thrown, this.id ?? '', this.#takes(), this.argv)
      : this.#explained(await this.#withMissingRoute(thrown));
    const out = this.#local?.out ?? this.#earlyOutput();
    if (error.code === 'BUG' && (this.#flags?.debug ?? this.argv.includes('--debug')))
      out.debug(readableStack(error.cause) ?? '');
    out.failure(error);
    await out.flush();
    return error.exitCode;
  }

  /** A record that exists shows that a 404 is about the route. */
  async #withMissingRoute(thrown: unknown): Promise<unknown> {
    const context = this.#context;
    if (context === undefined || !(thrown instanceof RemitError) || thrown.httpStatus !== 404) return thrown;
    const {withMissingRoute} = await import('./missing-route.ts');
    return withMissingRoute(thrown, context);
  }

  #takes(): Takes {
    const {flags, baseFlags, args = {}} = this.ctor;
    return {flags: Object.keys({...flags, ...baseFlags}), args};
  }

  /** Adds what took effect before the error, and a command to type next. */
  #explained(thrown: unknown): RemitError {
    const plain = asRemitError(this.#interrupted(withoutFrame(thrown)));
    const error = this.#local === undefined ? plain : withFolder(plain, this.#local);
    const failed = {commandId: this.id ?? '', flags: this.#flags ?? {}, args: this.#args};
    const context = this.#context;
    const place = {
      commands: this.#local?.ofBatch.commands ?? context?.commands ?? localCommands(this.#flags),
      ...{baseUrl: context?.profile.baseUrl, stateDir: context?.stateDir},
      isTest: context?.profile.mode === 'test',
    };
    const effects = this.#local?.effects;
    const hinted = effects?.wrote
      ? error.withHint(error.hintWith(place.commands))
      : withNextStep(error, failed, place); // the hint is that of the write
    const explained = effects?.explain(hinted) ?? hinted;
    return effects?.wrote ? withDoctorToo(explained, place) : explained;
  }

  /** A wait that our own signal ended is an interruption, whatever the layer below calls it. */
  #interrupted(thrown: unknown): unknown {
    const {reason} = this.runtime.stop;
    const isOurs = thrown instanceof Error && (thrown.name === 'AbortError' || thrown === reason);
    return reason !== undefined && isOurs ? reason : thrown;
  }

  #earlyOutput(): Output {
    const {stdout, stderr, env, clock} = this.runtime;
    return new Output({stdout, stderr, env, clock, settings: guessSettings(this.argv, this.#project)});
  }
}
