/** The three questions that we ask, of all that the package has: named imports, so that the bundle holds only these. */
export {confirm, input, password} from '@inquirer/prompts';
