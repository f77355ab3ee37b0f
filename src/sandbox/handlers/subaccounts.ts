import type {Handler} from '../handler.ts';
import {unbuilt} from './unbuilt.ts';

const create: Handler<'subaccounts.create'> = () => unbuilt('subaccounts.create');
const list: Handler<'subaccounts.list'> = () => unbuilt('subaccounts.list');
const get: Handler<'subaccounts.get'> = () => unbuilt('subaccounts.get');

export const subaccountHandlers = {create, list, get};
