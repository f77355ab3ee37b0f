/** Of the package; a test compares it with package.json, which the bundle does not carry along. */
export const VERSION = '0.1.0';
