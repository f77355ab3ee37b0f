/**
 * Where a fact about the service comes from: a section of the interface document, or a numbered row of
 * docs/internals/assumptions.md. Given facts are fixed; a profile can override assumed ones.
 */
export type Origin =
  {readonly kind: 'given'; readonly section: string} | {readonly kind: 'assumed'; readonly row: number};

export const given = (section: string): Origin => ({kind: 'given', section});
export const assumed = (row: number): Origin => ({kind: 'assumed', row});
