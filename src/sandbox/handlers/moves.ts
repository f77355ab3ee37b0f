import type {Handler} from '../handler.ts';
import {unbuilt} from './unbuilt.ts';

const create: Handler<'moves.create'> = () => unbuilt('moves.create');
const get: Handler<'moves.get'> = () => unbuilt('moves.get');
const list: Handler<'moves.list'> = () => unbuilt('moves.list');
const approve: Handler<'moves.approve'> = () => unbuilt('moves.approve');

export const moveHandlers = {create, get, list, approve};
