/** What a run at one service would do with a row whose reference another batch has. */
export type HeldRow = 'paid' | 'conflict';
