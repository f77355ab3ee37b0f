/** Reports an error that the sandbox did not expect, and that no answer shows. */
export type OnBug = (error: unknown) => void;
