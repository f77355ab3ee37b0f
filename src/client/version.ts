/** The version of the package; a test compares it with package.json, which is not in the bundle. */
export const VERSION = '0.1.0';
