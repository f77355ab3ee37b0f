/**
 * Arguments that are only read from the command line. oclif fills a missing one from stdin, whatever stdin is: in a loop
 * over the lines of a file, `profiles test` would test a profile named like the next line.
 */
export function withoutStdin<A extends object | undefined>(args: A): A {
  if (args === undefined) return args;
  const typed = Object.entries(args).map(([name, arg]: [string, object]) => [
    name,
    {...arg, ignoreStdin: true},
  ]);
  return Object.fromEntries(typed) as A; // the same arguments
}
