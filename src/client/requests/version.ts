/** The version of the package. A test compares it with package.json, which is not in the bundle. */
export const VERSION = '0.1.0';
