/**
 * The command or topic that was typed without its first words: `batch run` is `payouts batch run`. Undefined if several
 * are possible, except that payouts come before payins, which have the same commands.
 */
export function withoutTopic(asked: string, ids: readonly string[]): string | undefined {
  const found = ids.filter((id) => id.endsWith(`:${asked}`));
  const [only, ...others] = found.filter(
    (id) => !id.startsWith('payins:') || !found.includes(id.replace('payins:', 'payouts:')),
  );
  return others.length === 0 ? only : undefined;
}
